/** The learning rate along training, in numbers worked out by hand. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Extension } from '../../../main/engine/control.js';
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

describe('the learning rate of training that was extended', () => {
  const plain = trainConfigSchema.parse({ ...base, learning_rate: 1, min_lr: 0, lr_schedule: 'linear' });
  const rateAt = (step: number, extensions: readonly Extension[]) =>
    learningRateAt(step, {
      ...plain,
      extensions,
      max_iters: 110 + extensions.reduce((sum, { iterations }) => sum + iterations, 0),
    });

  it.each(['linear', 'cosine'] as const)(
    '%s: falls on from the rate it had, whenever, and however often',
    (lr_schedule) => {
      const config = { ...plain, lr_schedule };
      fc.assert(
        fc.property(
          fc.integer({ min: 10, max: 109 }),
          fc.integer({ min: 1, max: 500 }),
          fc.nat(400),
          (step, iterations, later) => {
            const first = { step, iterations };
            const second = { step: Math.min(step + later, 109 + iterations), iterations: 50 };
            const one = { ...config, max_iters: 110 + iterations, extensions: [first] };
            const both = { ...config, max_iters: 160 + iterations, extensions: [first, second] };
            expect(learningRateAt(step, one)).toBeCloseTo(learningRateAt(step, config), 12);
            expect(learningRateAt(step - 1, both)).toBe(learningRateAt(step - 1, config));
            expect(learningRateAt(second.step, both)).toBeCloseTo(learningRateAt(second.step, one), 12);
            expect(learningRateAt(second.step + 1, both)).toBeLessThanOrEqual(learningRateAt(second.step, both));
            expect(learningRateAt(160 + iterations, both)).toBe(0);
          },
        ),
      );
    },
  );

  it('rises again if it was over: gently, to what a longer schedule has there', () => {
    const extensions = [{ step: 110, iterations: 100 }];
    const whole = { ...plain, max_iters: 210 };
    const peak = learningRateAt(110, whole);
    expect(peak).toBe(0.5);
    expect([109, 110, 119, 120, 165, 210].map((step) => rateAt(step, extensions))).toEqual(
      [0.01, 0.5 / 11, (10 * 0.5) / 11, 0.5, 0.25, 0].map((rate) => expect.closeTo(rate, 12)),
    );
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

  it('falls on from the rate it had if it is extended', () => {
    const extensions = [{ step: 60, iterations: 50 }];
    const config = grpoConfigSchema.parse({ grpo_learning_rate: 2, grpo_max_steps: 160, grpo_lr_schedule: 'linear' });
    const found = [60, 110, 159].map((step) => grpoLearningRateAt(step, { ...config, extensions }));
    expect(found).toEqual([10 / 11, 5 / 11, 1 / 110].map((rate) => expect.closeTo(rate, 12)));
  });
});
