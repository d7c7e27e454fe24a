/** Tokens a second and the share of the machine's peak: of the steps alone, and nothing where nothing is known. */
import { describe, expect, it } from 'vitest';
import { trainingFlops } from '../../../shared/costs/network.js';
import { createThroughput } from '../../../main/engine/train/progress.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

describe('the speed of a step', () => {
  it('counts the steps since the last call, and not the first, which compiles', async () => {
    let now = 0;
    const env = { ...(await testEnvironment()), now: () => now, peaks: { f32: 1e6 } };
    const { timed, speed } = createThroughput(env, { tokens: 10, operations: 1000, precision: 'f32' });
    const take = (milliseconds: number) => timed(() => (now += milliseconds));
    await take(5000);
    expect(speed()).toEqual({});
    await take(100);
    now += 9000; // an evaluation
    await take(300);
    expect(speed()).toEqual({ tokens_per_second: 50, mfu: 0.005 });
    expect(speed()).toEqual({});
  });
});

describe('the metrics of base training', () => {
  it('have both, each row of its own steps', async () => {
    const env = { ...(await testEnvironment()), peaks: { f32: 1e12 } };
    const train = tinyConfig({ max_iters: 20, log_interval: 5, eval_interval: 20 });
    const [trainTokens, valTokens] = [patternTokens(1000), patternTokens(200)];
    await trainBase({ model: tinyModel, train, seed: 1, trainTokens, valTokens, slot: memorySlot(), env });
    const rows = env.events.flatMap((event) => (event.event === 'metrics' ? [event.values] : []));
    const losses = rows.filter((row) => 'loss' in row);
    expect(losses).toHaveLength(4);
    for (const { tokens_per_second, mfu } of losses) {
      expect(tokens_per_second).toBeGreaterThan(0);
      expect(mfu).toBeCloseTo(((tokens_per_second ?? NaN) * trainingFlops(tinyModel)) / 1e12, 12);
    }
  });
});
