/** The reward model: a frozen trunk stays as it is, a visible difference is learned, a blind one is called blind. */
import { describe, expect, it } from 'vitest';
import { isUninformative } from '../../../shared/reports/report.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { rewardVerdict } from '../../../main/engine/reward/reward-report.js';
import { trainRewardModel } from '../../../main/engine/reward/reward.js';
import { uniformInt } from '../../../main/engine/rng.js';
import { inEnglish } from '../../support/messages.js';
import { hashOf, memorySlot, samplesInMemory, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

const T = tinyModel.block_size;
// Larger weights than GPT-2's start, which would leave the last position hardly touched by those before it.
const base = Object.fromEntries(
  Object.entries(initialWeights(tinyModel, 5)).map(([name, { shape, data }]) => [
    name,
    { shape, data: shape.length === 2 ? data.map((value) => value * 10) : data },
  ]),
);

/** Natural tokens are 0 to 3, generated ones 4 to 7 (or, when they look alike, the same). */
function samples(count: number, stream: number, visible: boolean) {
  const x: number[][] = [];
  const fractions: number[] = [];
  for (let row = 0; row < count; row++) {
    const k = 1 + uniformInt(1, stream, row, 0, T - 1);
    const id = (i: number) => uniformInt(1, stream, row, i + 1, 4) + (visible && i >= k ? 4 : 0);
    x.push(Array.from({ length: T }, (_, i) => id(i)));
    fractions.push(k / T);
  }
  return samplesInMemory(T, x, fractions);
}

async function train(visible: boolean, changes: Parameters<typeof tinyConfig>[0] = {}, slot = memorySlot()) {
  const config = tinyConfig({ reward_max_iters: 300, reward_learning_rate: 3e-3, ...changes });
  return trainRewardModel({
    model: tinyModel,
    weights: base,
    trainSamples: samples(512, 20, visible),
    valSamples: samples(256, 21, visible),
    config,
    seed: 1,
    slot,
    env: await testEnvironment(),
  });
}

const trunkOf = (weights: Readonly<Record<string, { shape: readonly number[]; data: Float32Array }>>) =>
  Object.fromEntries(Object.entries(weights).filter(([name]) => name.startsWith('transformer.')));

describe('the reward model', () => {
  it('learns from the trunk, which stays unchanged to the byte', async () => {
    const { model, weights, report } = await train(true);
    expect(model.mode).toBe('reward');
    expect(hashOf(trunkOf(weights))).toBe(hashOf(trunkOf(base)));
    expect(report.r2 ?? -1).toBeGreaterThan(0.3);
    expect(isUninformative(report)).toBe(false);
    expect(report.calibration).toHaveLength(10);
    expect(report.calibration.reduce((sum, { count }) => sum + count, 0)).toBe(256);
    expect(report.val_mse).toBeLessThan(report.baseline_mse);
  });

  it('that diverges says which tensor went wrong first', async () => {
    const slot = memorySlot();
    await train(true, { reward_max_iters: 10 }, slot);
    const good = slot.saved;
    expect(good?.state['step']).toBe(10);
    if (good) slot.saved = { ...good, state: { ...good.state, finished: null } };
    const wild = { reward_max_iters: 60, reward_learning_rate: 1e30 };
    await expect(train(true, wild, slot)).rejects.toMatchObject({
      ...{ code: 'diverged', field: 'reward_learning_rate' },
      message: expect.stringMatching(
        /at step \d+\. (The first tensor that went wrong is|All weights were finite|Every gradient is finite|The loss is finite)/,
      ) as string,
      hint: expect.stringContaining('The last good checkpoint is kept.') as string,
    });
    expect(slot.saved?.state['step']).toBe(10);
  });

  it('reports that it is blind if natural and generated text look alike', async () => {
    const { report } = await train(false);
    expect(isUninformative(report)).toBe(true);
    expect(inEnglish(rewardVerdict(report))).toMatch(
      /cannot distinguish natural from generated.*R² -?0\.\d{3}, 95% interval .*GRPO would follow noise/,
    );
  });
});
