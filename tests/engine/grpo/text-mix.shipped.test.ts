/** What a critic makes of a text, read once and handed out by passages. */
import * as tf from '@tensorflow/tfjs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCriticReading } from '../../../main/engine/grpo/text-mix.js';
import { createParameters, initialWeights, trunk } from '../../../main/engine/model/model.js';
import { uniformInt } from '../../../main/engine/rng.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { segmentsOf, textKept, textTokensRead } from '../../../shared/costs/mixed-text.js';
import { testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';
import { testRuntime } from '../../support/runtime.js';

beforeAll(testRuntime);

it('gives passages of the text with the states that the critic has there, with half a block before them', async () => {
  const [T, C] = [tinyModel.block_size, tinyModel.n_embd];
  const env = await testEnvironment();
  const session = env.runtime.createSession();
  const critic = { model: tinyModel, parameters: createParameters(session, initialWeights(tinyModel, 3), 'critic.') };
  // One segment, in which every place has another surrounding.
  const ids = Array.from({ length: 136 }, (_, i) => uniformInt(1, 2, 3, i, 8));
  const config = tinyConfig({ ptx_coef: 1, ptx_batch_size: 12, ptx_targets: 'critic' });
  const given = { config, model: tinyModel, trainTokens: tokensInMemory(ids), seed: 4, env };
  const passagesAt = createCriticReading(given, session, critic);
  const rows = Array.from({ length: 16 }, (_, row) => ids.slice(8 * row, 8 * row + T));
  const read = session.compile((all: tf.Tensor) => trunk(tinyModel, critic.parameters, all), { name: 'windows' });
  const windows = tf.tidy(() => read(tf.tensor2d(rows, [16, T], 'int32')).dataSync());
  const starts = new Set<number>();
  for (let step = 0; step < 20; step++) {
    const { x, hidden } = (await passagesAt(step)) ?? { x: new Int32Array(), hidden: new Float32Array() };
    for (let row = 0; row < 12; row++) {
      const passage = [...x.subarray(row * T, (row + 1) * T)];
      const at = ids.findIndex((_, from) => passage.every((id, i) => ids[from + i] === id));
      expect(at).toBeGreaterThanOrEqual(0);
      starts.add(at);
      for (let i = 0; i < T; i++) {
        const place = at + i;
        const window = place < T ? 0 : Math.floor((place - T) / 8) + 1;
        const from = (window * T + place - 8 * window) * C;
        const [found, wanted] = [hidden.subarray((row * T + i) * C), windows.subarray(from)];
        for (let c = 0; c < C; c += 5) expect(found[c]).toBeCloseTo(wanted[c] ?? NaN, 5);
      }
    }
  }
  // Anywhere in it, and not at a few places again and again.
  expect(starts.size).toBeGreaterThan(90);
  expect(await passagesAt(7)).toEqual(await createCriticReading(given, session, critic)(7));
  env.stop.requested = true;
  expect(await passagesAt(8)).toBeNull();
  session.dispose();
});

describe('segments', () => {
  const reader = fc.record({ blockSize: fc.integer({ min: 1, max: 256 }), width: fc.integer({ min: 8, max: 2048 }) });

  it('lie in the text, hold a block, and keep no more than declared, for any text', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 3_000_000 }),
        reader,
        fc.integer({ min: 1, max: 900 }),
        (more, of, passages) => {
          const text = of.blockSize + more;
          const { count, windows, length } = segmentsOf(text, of);
          expect(count).toBeGreaterThanOrEqual(1);
          expect(length).toBeGreaterThanOrEqual(of.blockSize);
          expect(count * length).toBeLessThanOrEqual(text);
          expect(length).toBe(of.blockSize + (windows - 1) * Math.ceil(of.blockSize / 2));
          const kept = Math.min(count, passages) * length * of.width * 4;
          expect(kept).toBeLessThanOrEqual(Math.max(textKept(passages, of), length * of.width * 4));
          expect(textTokensRead(text, passages, of)).toBe(Math.min(count, passages) * windows * of.blockSize);
        },
      ),
    );
  });

  it('are all of a text of 150,000 letters, and a part of a longer one', () => {
    const smollm = { blockSize: 64, width: 576 };
    expect(segmentsOf(50_000, smollm)).toEqual({ count: 91, windows: 16, length: 544 });
    expect(segmentsOf(500_000, smollm).count).toBe(107);
  });
});
