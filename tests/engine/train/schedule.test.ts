/** The learning rate along training, in numbers worked out by hand. */
import { describe, expect, it } from 'vitest';
import { learningRateAt } from '../../../main/engine/train/schedule.js';
import { trainConfigSchema } from '../../../shared/config/train.js';

const base = { learning_rate: 1, min_lr: 0.1, warmup_iters: 10, max_iters: 110 };
const rates = (changes: object, steps: readonly number[]) => {
  const config = trainConfigSchema.parse({ ...base, ...changes });
  return steps.map((step) => learningRateAt(step, config));
};

describe('the learning rate', () => {
  it.each([
    {
      name: 'half a cosine',
      changes: {},
      steps: [0, 9, 10, 60, 110, 200],
      expected: [1 / 11, 10 / 11, 1, 0.55, 0.1, 0.1],
    },
    {
      name: 'a straight line',
      changes: { lr_schedule: 'linear' },
      steps: [10, 35, 60, 85, 109],
      expected: [1, 0.775, 0.55, 0.325, 0.109],
    },
    { name: 'to zero', changes: { lr_schedule: 'linear', min_lr: 0 }, steps: [60, 109, 110], expected: [0.5, 0.01, 0] },
    {
      name: 'constant for half of it',
      changes: { lr_schedule: 'linear', lr_constant: 0.5, min_lr: 0 },
      steps: [10, 59, 60, 85, 110],
      expected: [1, 1, 1, 0.5, 0],
    },
    {
      name: 'constant, then half a cosine',
      changes: { lr_constant: 0.5 },
      steps: [59, 85, 110],
      expected: [1, 0.55, 0.1],
    },
    { name: 'constant to the end', changes: { lr_constant: 1 }, steps: [10, 109, 110], expected: [1, 1, 0.1] },
    { name: 'no decay', changes: { decay_lr: false, lr_schedule: 'linear' }, steps: [0, 60, 200], expected: [1, 1, 1] },
  ])('$name', ({ changes, steps, expected }) => {
    rates(changes, steps).forEach((rate, i) => expect(rate).toBeCloseTo(expected[i] ?? NaN, 12));
  });
});
