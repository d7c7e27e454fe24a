/** Choosing a token, and scoring a long text in windows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseToken, naturalAfterEach } from '../../../main/engine/cycle/playground.js';
import type { RewardScorer } from '../../../main/engine/reward/reward-scorer.js';

const logits = fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 1, maxLength: 40 });
const uniform = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

describe('a chosen token', () => {
  it('is among the k likeliest, with the reported probability', () => {
    fc.assert(
      fc.property(
        logits,
        uniform,
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0.1, max: 5, noNaN: true }),
        (values, u, topK, temperature) => {
          const scores = Float32Array.from(values);
          const { id, logProb, alternatives } = chooseToken(scores, u, {
            temperature,
            topK,
            vocabLimit: values.length,
          });
          const sum = scores.reduce((total, score) => total + Math.exp((score - Math.max(...scores)) / temperature), 0);
          const expected = ((scores[id] ?? NaN) - Math.max(...scores)) / temperature - Math.log(sum);
          expect(logProb).toBeCloseTo(expected, 6);
          const better = scores.filter((score) => score > (scores[id] ?? NaN)).length;
          expect(better).toBeLessThan(topK);
          expect(alternatives).toHaveLength(Math.min(5, values.length));
          expect(scores[alternatives[0]?.id ?? -1] === Math.max(...scores)).toBe(true);
        },
      ),
    );
  });

  it('is among the likeliest that have a share of the probability together, whichever of them that is', () => {
    fc.assert(
      fc.property(logits, uniform, fc.double({ min: 0.05, max: 1, noNaN: true }), (values, u, topP) => {
        const scores = Float32Array.from(values);
        const { id, logProb } = chooseToken(scores, u, { temperature: 1, topK: null, topP, vocabLimit: values.length });
        const largest = Math.max(...scores);
        const total = scores.reduce((sum, score) => sum + Math.exp(score - largest), 0);
        const better = scores.filter((score) => score > (scores[id] ?? NaN));
        const before = better.reduce((sum, score) => sum + Math.exp(score - largest), 0) / total;
        expect(before).toBeLessThan(topP + 1e-9);
        // Probabilities are those among all tokens.
        expect(logProb).toBeCloseTo((scores[id] ?? NaN) - largest - Math.log(total), 6);
      }),
    );
    const rule = { temperature: 1, topK: null, vocabLimit: 3 };
    const drawn = (topP: number) =>
      new Set(
        Array.from(
          { length: 100 },
          (_, i) => chooseToken(Float32Array.from([1, 2, 3], Math.log), i / 100, { ...rule, topP }).id,
        ),
      );
    // 3 of 6 reach a half; with 0.51 the next likeliest is needed too.
    expect([0.5, 0.51, 0.9, 1].map((topP) => [...drawn(topP)].sort())).toEqual([[2], [1, 2], [0, 1, 2], [0, 1, 2]]);
  });

  it('at temperature 0 is the likeliest, and never one beyond the vocabulary', () => {
    const scores = Float32Array.of(0, 2, 1, 9);
    for (const u of [0, 0.5, 0.999]) {
      expect(chooseToken(scores, u, { temperature: 0, topK: null, vocabLimit: 3 }).id).toBe(1);
      expect(chooseToken(scores, u, { temperature: 1, topK: null, vocabLimit: 3 }).id).toBeLessThan(3);
    }
  });

  it('is drawn as often as its probability says', () => {
    const scores = Float32Array.from([1, 2, 3], Math.log);
    const draws = Array.from(
      { length: 6000 },
      (_, i) => chooseToken(scores, (i + 0.5) / 6000, { temperature: 1, topK: null, vocabLimit: 3 }).id,
    );
    expect([0, 1, 2].map((id) => draws.filter((drawn) => drawn === id).length)).toEqual([1000, 2000, 3000]);
  });
});

describe('a text that is judged token by token', () => {
  it('is read in windows that overlap by half, and has one value for each token', async () => {
    const windows: number[][] = [];
    const scorer: RewardScorer = {
      evidence: null,
      score: async () => Float32Array.of(0),
      // Returns the token itself, so that every value can be placed.
      async scorePrefixes(ids) {
        windows.push(Array.from(ids));
        return Float32Array.from(ids);
      },
    };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 60 }), async (blockSize, length) => {
        windows.length = 0;
        const ids = Uint16Array.from({ length }, (_, i) => i + 1);
        expect(Array.from(await naturalAfterEach(scorer, blockSize, ids))).toEqual(Array.from(ids));
        expect(windows.every((window) => window.length === blockSize)).toBe(true);
        expect(windows.length).toBeLessThanOrEqual(1 + (2 * length) / Math.max(1, blockSize - 1));
      }),
    );
  });
});
