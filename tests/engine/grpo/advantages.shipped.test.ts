/** Group-relative advantages: TRL's definitions by hand, and invariances. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from '../../../main/engine/grpo/advantages.js';

const rewards = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 });

describe('group advantages', () => {
  it('by hand: (r - group mean) / (sample std + 1e-4)', () => {
    const { advantages, groupStds, fractionZeroStd } = groupAdvantages([1, 2, 3, 5, 5, 5], 3, 'group');
    expect(Array.from(groupStds)).toEqual([1, 0]);
    expect(Array.from(advantages)).toEqual([-1 / 1.0001, 0, 1 / 1.0001, 0, 0, 0]);
    expect(fractionZeroStd).toBe(0.5);
  });

  it('`batch` divides by the spread of all rewards, `none` by nothing; both centre on the group', () => {
    const std = Math.sqrt(15.5 / 5); // of 1, 2, 3, 5, 5, 5: mean 3.5
    const batch = groupAdvantages([1, 2, 3, 5, 5, 5], 3, 'batch').advantages;
    expect(Array.from(batch)).toEqual([-1, 0, 1, 0, 0, 0].map((x) => x / (std + 1e-4)));
    expect(Array.from(groupAdvantages([1, 2, 3, 5, 5, 5], 3, 'none').advantages)).toEqual([-1, 0, 1, 0, 0, 0]);
  });

  it('all rewards alike: zero advantages, every group counted, whatever the scaling', () => {
    for (const scale of ['group', 'batch', 'none'] as const) {
      const { advantages, fractionZeroStd } = groupAdvantages(new Array<number>(8).fill(0.3), 4, scale);
      expect(Array.from(advantages)).toEqual(new Array(8).fill(0));
      expect(fractionZeroStd).toBe(1);
    }
  });

  it('each group sums to zero; a shift of the rewards changes nothing', () => {
    fc.assert(
      fc.property(rewards, fc.constantFrom('group', 'batch', 'none' as const), (values, scale) => {
        const { advantages } = groupAdvantages(values, 4, scale);
        for (let group = 0; group < 3; group++) {
          const total = advantages.subarray(group * 4, group * 4 + 4).reduce((sum, value) => sum + value, 0);
          // A mean of four numbers near 1 is rounded by 1e-16, and is divided by no less than 1e-4.
          expect(Math.abs(total)).toBeLessThan(1e-11);
        }
        const shifted = groupAdvantages(
          values.map((value) => value + 1),
          4,
          scale,
        ).advantages;
        advantages.forEach((value, i) => expect(shifted[i]).toBeCloseTo(value, 6));
      }),
    );
  });

  it('refuses rewards that are no whole groups, and groups of one', () => {
    expect(() => groupAdvantages([1, 2, 3], 2, 'group')).toThrow(RangeError);
    expect(() => groupAdvantages([1, 2, 3], 1, 'group')).toThrow(RangeError);
    expect(() => groupAdvantages([], 2, 'group')).toThrow(RangeError);
  });
});
