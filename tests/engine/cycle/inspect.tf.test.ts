/** Reading a text token by token, and scoring a long one in windows. */
import * as tf from '@tensorflow/tfjs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { likelyTokens, naturalAfterEach } from '../../../main/engine/cycle/inspect.js';
import { createParameters, initialWeights, lmLogits, trunk } from '../../../main/engine/model/model.js';
import type { RewardScorer } from '../../../main/engine/reward/reward-scorer.js';
import { testEnvironment, tinyModel } from '../../support/engine.js';

describe('the tokens of a text', () => {
  const T = tinyModel.block_size;
  // Larger weights than GPT-2's start: an untrained model's choices would hardly depend on what came before.
  const weights = Object.fromEntries(
    Object.entries(initialWeights(tinyModel, 3)).map(([name, { shape, data }]) => [
      name,
      { shape, data: shape.length === 2 ? data.map((value) => value * 20) : data },
    ]),
  );

  it('each have the probability after the tokens before them, and the likeliest in their order', async () => {
    const env = await testEnvironment();
    const ids = Uint16Array.from({ length: 3 * T }, (_, at) => (at * at + 3) % 8);
    const rule = { temperature: 1, vocabLimit: 8, excluded: [5] };
    const found = await likelyTokens({ model: tinyModel, weights, ids, first: 2, rule, env });
    expect(found.map(({ id }) => id)).toEqual(Array.from(ids.subarray(2)));
    const session = env.runtime.createSession({ compiled: false });
    const parameters = createParameters(session, weights);
    found.forEach(({ id, logProb, alternatives }, index) => {
      const at = index + 2;
      // Later tokens are read in a window of their own, which begins at least half a window before them.
      if (at < T) {
        const logits = tf.tidy(() => {
          const hidden = trunk(tinyModel, parameters, tf.tensor2d(Array.from(ids.subarray(0, at)), [1, at], 'int32'));
          return lmLogits(tinyModel, parameters, hidden).dataSync().slice(-tinyModel.vocab_size);
        });
        const allowed = Array.from(logits.keys()).filter((token) => token < 8 && token !== 5);
        const total = allowed.reduce((sum, token) => sum + Math.exp(logits[token] ?? 0), 0);
        if (id !== 5) expect(logProb).toBeCloseTo((logits[id] ?? 0) - Math.log(total), 3);
        const likeliest = allowed.sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0)).slice(0, 5);
        expect(alternatives.map((one) => one.id)).toEqual(likeliest);
      }
      expect(alternatives.reduce((sum, { probability }) => sum + probability, 0)).toBeLessThanOrEqual(1.0001);
    });
    session.dispose();
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
