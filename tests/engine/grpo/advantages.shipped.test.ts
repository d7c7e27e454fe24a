/** Advantages and the reference GRPO loss: TRL's definitions by hand, invariances, and finite differences. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from '../../../main/engine/grpo/advantages.js';
import { normals, uniforms } from '../../../main/engine/rng.js';
import { grpoLossReference, k3, type GrpoLossOptions } from './loss-reference.js';

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

describe('k3', () => {
  it('is exp(d) - d - 1, never negative, and exact where d is tiny', () => {
    expect(k3(-2, -1)).toBeCloseTo(Math.E - 2, 14);
    expect(k3(-1, -1)).toBe(0);
    expect(k3(-1, -1 + 1e-6) / 5e-13).toBeCloseTo(1, 4);
    fc.assert(
      fc.property(
        fc.double({ min: -20, max: 0, noNaN: true }),
        fc.double({ min: -20, max: 0, noNaN: true }),
        (a, b) => {
          expect(k3(a, b)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it('averages to the KL divergence over samples of the policy', () => {
    const policy = [0.5, 0.3, 0.2];
    const reference = [0.2, 0.3, 0.5];
    let expected = 0;
    let exact = 0;
    policy.forEach((p, i) => {
      const q = reference[i] ?? 0;
      expected += p * k3(Math.log(p), Math.log(q));
      exact += p * Math.log(p / q);
    });
    expect(expected).toBeCloseTo(exact, 14);
  });
});

describe('GRPO loss', () => {
  const options = (over: Partial<GrpoLossOptions> = {}): GrpoLossOptions => ({
    epsilon: 0.2,
    epsilonHigh: null,
    beta: 0,
    lossType: 'grpo',
    maxCompletionLength: 4,
    ...over,
  });
  // Ratios 1, 0.5, 2 in the first sequence (advantage 1), 1, 0.5 in the second (advantage -2; its third is prompt).
  const logProbs = [1, 0.5, 2, 1, 0.5, 9].map(Math.log);
  const batch = {
    logProbs,
    oldLogProbs: new Array<number>(6).fill(0),
    referenceLogProbs: null,
    mask: [1, 1, 1, 1, 1, 0],
    advantages: [1, -2],
  };
  // -min(): 1, 0.5, 1.2 (clipped above) | -2, -1.6 (clipped below)
  it.each([
    ['grpo', (-(1 + 0.5 + 1.2) / 3 + (2 + 1.6) / 2) / 2],
    ['dapo', (-(1 + 0.5 + 1.2) + (2 + 1.6)) / 5],
    ['dr_grpo', (-(1 + 0.5 + 1.2) + (2 + 1.6)) / (2 * 4)],
  ] as const)('%s by hand', (lossType, expected) => {
    const result = grpoLossReference(batch, options({ lossType }));
    expect(result.loss).toBeCloseTo(expected, 14);
    expect(result).toMatchObject({ kl: 0, clipLow: 0.2, clipHigh: 0.2, clip: 0.4 });
    expect(result.gradient[2]).toBeCloseTo(0, 15);
    expect(result.gradient[4]).toBeCloseTo(0, 15);
    expect(result.gradient[5]).toBeCloseTo(0, 15);
  });

  it('epsilon_high moves only the upper bound', () => {
    const result = grpoLossReference(batch, options({ epsilonHigh: 1.5 }));
    expect(result).toMatchObject({ clipLow: 0.2, clipHigh: 0 });
    expect(result.loss).toBeCloseTo((-(1 + 0.5 + 2) / 3 + (2 + 1.6) / 2) / 2, 14);
  });

  it('beta adds k3 towards the reference', () => {
    const referenceLogProbs = logProbs.map((value, i) => value + 0.1 * (i - 2));
    const plain = grpoLossReference({ ...batch, referenceLogProbs }, options({ lossType: 'dapo' }));
    const held = grpoLossReference({ ...batch, referenceLogProbs }, options({ lossType: 'dapo', beta: 0.3 }));
    const kl = [-0.2, -0.1, 0, 0.1, 0.2].reduce((sum, d) => sum + Math.exp(d) - d - 1, 0) / 5;
    expect(held.kl).toBeCloseTo(kl, 14);
    expect(held.loss - plain.loss).toBeCloseTo(0.3 * kl, 14);
  });

  it('a completion without tokens counts as nothing, not as NaN', () => {
    const empty = { ...batch, mask: [1, 1, 1, 0, 0, 0] };
    expect(grpoLossReference(empty, options()).loss).toBeCloseTo(-(1 + 0.5 + 1.2) / 6, 14);
    expect(grpoLossReference({ ...batch, mask: [0, 0, 0, 0, 0, 0] }, options({ lossType: 'dapo' })).loss).toBe(0);
  });

  it('its gradient agrees with finite differences', () => {
    const count = 5 * 7;
    const noise = (step: number, scale: number) => Array.from(normals(1, 0, step, 0, count), (x) => x * scale);
    const logProbsHere = noise(0, 0.3).map((x) => x - 2);
    const many = {
      oldLogProbs: logProbsHere.map((x, i) => x + (noise(1, 0.3)[i] ?? 0)),
      referenceLogProbs: logProbsHere.map((x, i) => x + (noise(2, 0.5)[i] ?? 0)),
      mask: Array.from(uniforms(1, 0, 3, 0, count), (u) => (u < 0.7 ? 1 : 0)),
      advantages: Array.from(normals(1, 0, 4, 0, 5)),
    };
    for (const lossType of ['grpo', 'dapo', 'dr_grpo'] as const) {
      const at = (place: number, change: number) =>
        grpoLossReference(
          { ...many, logProbs: logProbsHere.map((x, i) => (i === place ? x + change : x)) },
          options({ lossType, beta: 0.1, epsilonHigh: 0.28, maxCompletionLength: 7 }),
        );
      const { gradient } = at(0, 0);
      for (let place = 0; place < count; place++) {
        const slope = (at(place, 1e-5).loss - at(place, -1e-5).loss) / 2e-5;
        expect(gradient[place]).toBeCloseTo(slope, 8);
      }
    }
  });
});
