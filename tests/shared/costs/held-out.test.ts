/** Held-out text is measured for a small share of the training's cost, whatever the model and however long the text. */
import { describe, expect, it } from 'vitest';
import { generatorOf } from '../../../shared/config/model.js';
import { estimate } from '../../../shared/phases/estimate.js';
import { heldOutTokens, readAtMost } from '../../../shared/costs/held-out.js';
import { forwardFlops, trainingFlops } from '../../../shared/costs/network.js';
import { projectSettings } from '../../ipc/world.js';

const smollm2 = { preset: 'smollm2', init_from: 'm', n_layer: 30, n_head: 9, n_embd: 576 } as const;
const settings = (given: Readonly<Record<string, unknown>>) =>
  projectSettings({ project: '/x', data_path: 'x.txt', ...given });

/** The share of base training's operations that measuring takes. */
function measuredShare(given: Readonly<Record<string, unknown>>, vocabulary: number, heldOut: number) {
  const config = settings(given);
  const model = generatorOf(config, vocabulary);
  const { each, last } = heldOutTokens(model, config);
  const looks = Math.ceil(config.max_iters / config.eval_interval);
  // A model that could write is measured before the first step, too.
  const ends = 'init_from' in given ? 2 : 1;
  const read = looks * readAtMost(model, heldOut, each) + ends * readAtMost(model, heldOut, last);
  const measuring = read * forwardFlops(model, Math.max(model.block_size, model.eval_block_size ?? 0));
  return measuring / (config.max_iters * config.batch_size * model.block_size * trainingFlops(model) + measuring);
}

describe('measuring held-out text', () => {
  it.each([
    ['SmolLM2 for about ten minutes', { ...smollm2, tune: 'full', max_iters: 200 }, 49_152],
    ['SmolLM2 for an hour', { ...smollm2, max_iters: 1200 }, 49_152],
    ['SmolLM2 with adapters', { ...smollm2, tune: 'lora', max_iters: 200 }, 49_152],
    ['a small model from scratch', { preset: 'tiny', max_iters: 2000 }, 80],
    ['the same with the whole split at each look', { preset: 'tiny', max_iters: 2000, eval_iters: 100_000 }, 80],
  ] as const)('takes little of the training: %s', (_, given, vocabulary) => {
    for (const heldOut of [10_000, 1_000_000, 50_000_000]) {
      const share = measuredShare(given, vocabulary, heldOut);
      expect(share, `${heldOut}`).toBeLessThan(0.15);
      expect(share).toBeGreaterThan(0);
    }
  });

  it('reads a short held-out text whole after the last step, and as much as it is asked to', () => {
    const config = settings({ ...smollm2, max_iters: 60 });
    const model = generatorOf(config, 49_152);
    expect(heldOutTokens(model, config).last).toBeGreaterThan(8191);
    expect(readAtMost(model, 8000, heldOutTokens(model, config).last)).toBe(63 * 128);
    expect(heldOutTokens(model, { ...config, eval_iters: null }).each).toBe(Infinity);
    expect(heldOutTokens(model, { ...config, eval_iters: 1 }).each).toBe(1024);
  });

  it('is part of the estimate: a text of 200 MB takes the minutes of one of 2 MB', () => {
    const seconds = [600_000, 60_000_000].map(
      (tokens) =>
        estimate({
          config: settings({ ...smollm2, max_iters: 100 }),
          vocabSize: 49_152,
          tokens,
          speed: { training: 300e9, writing: 60e9, wide: null, precision: 'f32', compiling: 0.003 },
          memoryAvailable: 8e9,
          diskFree: 1e12,
        }).seconds.base ?? 0,
    );
    expect(seconds[1]).toBeCloseTo(seconds[0] ?? 0, 6);
    // A hundred steps of 1024 tokens, and at most 25 % for what is measured: before, between and after them.
    const model = generatorOf(settings(smollm2), 49_152);
    const training = (100 * 1024 * trainingFlops(model)) / 300e9;
    expect(seconds[0]).toBeGreaterThan(1.1 * training);
    expect(seconds[0]).toBeLessThan(1.26 * training + 10);
  });
});
