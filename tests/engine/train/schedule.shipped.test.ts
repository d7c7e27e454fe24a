/** The learning rate along training, in numbers worked out by hand. */
import { describe, expect, it } from 'vitest';
import { grpoLearningRateAt, learningRateAt } from '../../../main/engine/train/schedule.js';
import { grpoConfigSchema } from '../../../shared/config/grpo.js';
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
  ])('$name', ({ changes, steps, expected }) => {
    rates(changes, steps).forEach((rate, i) => expect(rate).toBeCloseTo(expected[i] ?? NaN, 12));
  });
});

describe("GRPO's learning rate", () => {
  const rates = (changes: object, steps: readonly number[]) => {
    const config = grpoConfigSchema.parse({ grpo_learning_rate: 2, grpo_max_steps: 110, ...changes });
    return steps.map((step) => grpoLearningRateAt(step, config));
  };

  it('stays as it is, unless it is to warm up or to fall', () => {
    expect(rates({}, [0, 50, 109])).toEqual([2, 2, 2]);
    expect(rates({ grpo_warmup_steps: 3 }, [0, 1, 2, 3, 109])).toEqual([0.5, 1, 1.5, 2, 2]);
  });

  it('falls in a straight line to nothing after the last step', () => {
    const expected = [20 / 11, 2, 1, 0.02];
    const found = rates({ grpo_lr_schedule: 'linear', grpo_warmup_steps: 10 }, [9, 10, 60, 109]);
    expected.forEach((rate, i) => expect(found[i]).toBeCloseTo(rate, 12));
  });
});
