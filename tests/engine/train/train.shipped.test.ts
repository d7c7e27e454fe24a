/** Base training: it learns, stops when it should, resumes to the byte, and says when it cannot go on. */
import { describe, expect, it } from 'vitest';
import { trainBase } from '../../../main/engine/train/train.js';
import { localized } from '../../../shared/messages/message.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

const trainTokens = patternTokens(4000);
const valTokens = patternTokens(500);

type Changes = Parameters<typeof tinyConfig>[0] & { readonly average?: number };

async function run({ average = 0, ...changes }: Changes = {}, slot = memorySlot(), stopAt?: number) {
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && stopAt !== undefined && event.step >= stopAt) stop();
  });
  const config = tinyConfig(changes);
  const model = { ...tinyModel, dropout: config.dropout };
  const seed = config.seed;
  const outcome = await trainBase({ model, train: config, seed, average, trainTokens, valTokens, slot, env });
  return { ...outcome, env, slot };
}

describe('base training', () => {
  it('learns a pattern far beyond its letter frequencies', async () => {
    const { result, env } = await run({ max_iters: 150, eval_interval: 50 });
    // Knowing only how frequent each of the 8 tokens is leaves about 2 nats.
    expect(result.val_loss).toBeLessThan(0.8);
    expect(result.perplexity).toBeCloseTo(Math.exp(result.val_loss), 10);
    expect(result.stopped_because).toBe('max_iters');
    const losses = env.events.flatMap((event) => (event.event === 'metrics' ? [event.values['val_loss']] : []));
    expect(losses.filter((loss) => typeof loss === 'number')).toHaveLength(3);
  });

  it('gives the same bytes for the same seed and other bytes for another', async () => {
    const [first, again, other] = [await run(), await run(), await run({ seed: 8 })];
    expect(hashOf(again.weights)).toBe(hashOf(first.weights));
    expect(hashOf(other.weights)).not.toBe(hashOf(first.weights));
  });

  it.each([
    { name: 'plain', changes: {} },
    { name: 'with dropout', changes: { dropout: 0.2 } },
    { name: 'with gradient accumulation', changes: { gradient_accumulation_steps: 2, batch_size: 4 } },
    { name: 'with an average of weights', changes: { average: 0.9 } },
    { name: 'with both', changes: { gradient_accumulation_steps: 2, batch_size: 4, average: 0.9 } },
  ])('resumes to the byte after a stop in the middle: $name', async ({ changes }) => {
    const whole = await run(changes);
    const slot = memorySlot();
    // 40 is a step with an evaluation, which is still to be made then.
    for (const step of [30, 40]) {
      await expect(run(changes, slot, step)).rejects.toMatchObject({ code: 'stopped' });
      expect(slot.saved?.state['step']).toBe(step);
    }
    const resumed = await run(changes, slot);
    expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
    expect(resumed.result.val_loss).toBe(whole.result.val_loss);
  });

  it('keeps the average of the weights if it is configured, which knows the pattern as well', async () => {
    const [last, averaged] = [await run({ max_iters: 150 }), await run({ max_iters: 150, average: 0.95 })];
    expect(averaged.result.val_loss).toBeLessThan(0.8);
    expect(hashOf(averaged.weights)).not.toBe(hashOf(last.weights));
  });

  it('stops early when held-out loss no longer improves, and keeps the best weights', async () => {
    const { result, env } = await run({ max_iters: 400, eval_interval: 10, patience: 2, min_delta: 0.5 });
    expect(result.stopped_because).toBe('patience');
    expect(result.iterations).toBeLessThan(400);
    expect(result.best_iteration).toBeLessThanOrEqual(result.iterations);
    expect(env.events).toContainEqual(expect.objectContaining({ event: 'notice', code: 'early_stopping' }));
  });

  it('that takes every step did not stop early, even where the last evaluation is one too many without a gain', async () => {
    // The first evaluation is better than none, the second and last one by too little.
    const { result, env } = await run({ max_iters: 20, eval_interval: 10, patience: 1, min_delta: 100 });
    expect(result).toMatchObject({ stopped_because: 'max_iters', iterations: 20, best_iteration: 20 });
    expect(env.events.filter(({ event }) => event === 'notice')).toEqual([]);
  });

  it('says which model is kept where that is not the last', async () => {
    // A rate that rises until it does harm.
    const { result, env } = await run({
      max_iters: 20,
      eval_interval: 5,
      learning_rate: 3,
      min_lr: 3,
      warmup_iters: 20,
    });
    expect(result).toMatchObject({ stopped_because: 'max_iters', best_iteration: 5 });
    expect(env.events).toContainEqual({
      ...{ event: 'notice', level: 'info', code: 'all_steps' },
      message: localized('train.all_steps', { step: 20, bestStep: 5 }),
    });
  });

  it('refuses to go on when the loss is no longer a number, keeping the last good checkpoint', async () => {
    const slot = memorySlot();
    await expect(run({ learning_rate: 1e30, min_lr: 1e30, warmup_iters: 0 }, slot)).rejects.toMatchObject({
      code: 'diverged',
      field: 'learning_rate',
      message: expect.stringMatching(
        /at step \d+\. (The first tensor that went wrong is|All weights were finite)/,
      ) as string,
    });
  });

  it('says how many tokens are missing when a split is shorter than a block', async () => {
    const env = await testEnvironment();
    const train = tinyConfig();
    const short = patternTokens(16);
    await expect(
      trainBase({ model: tinyModel, train, seed: 1, trainTokens, valTokens: short, slot: memorySlot(), env }),
    ).rejects.toMatchObject({ code: 'text_too_short', message: expect.stringContaining('at least 17') as string });
  });
});
