/** The reward model: a frozen trunk stays as it is, a visible difference is learned, a blind one is called blind. */
import { describe, expect, it } from 'vitest';
import { isUninformative } from '../../../shared/reports/report.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { rewardVerdict } from '../../../main/engine/reward/reward-report.js';
import { trainedNames, trainRewardModel } from '../../../main/engine/reward/reward.js';
import { uniformInt } from '../../../main/engine/rng.js';
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

async function train(
  visible: boolean,
  changes: Parameters<typeof tinyConfig>[0] = {},
  slot = memorySlot(),
  stopAt?: number,
) {
  const config = tinyConfig({
    reward_max_iters: 300,
    reward_eval_interval: 50,
    reward_learning_rate: 3e-3,
    ...changes,
  });
  return trainRewardModel({
    model: tinyModel,
    weights: base,
    trainSamples: samples(512, 20, visible),
    valSamples: samples(256, 21, visible),
    config,
    seed: 1,
    slot,
    env: await testEnvironment((event, stop) => {
      if (event.event === 'metrics' && event.step === stopAt) stop();
    }),
  });
}

const trunkOf = (weights: Readonly<Record<string, { shape: readonly number[]; data: Float32Array }>>) =>
  Object.fromEntries(Object.entries(weights).filter(([name]) => name.startsWith('transformer.')));

describe('the reward model', () => {
  it('learns what the trunk shows it, with the trunk unchanged to the byte', async () => {
    const { model, weights, report } = await train(true);
    expect(model.mode).toBe('reward');
    expect(hashOf(trunkOf(weights))).toBe(hashOf(trunkOf(base)));
    expect(report.r2 ?? -1).toBeGreaterThan(0.3);
    expect(isUninformative(report)).toBe(false);
    expect(report.calibration).toHaveLength(10);
    expect(report.calibration.reduce((sum, { count }) => sum + count, 0)).toBe(256);
    expect(report.val_mse).toBeLessThan(report.baseline_mse);
  });

  it('learns with the last block unfrozen and leaves the blocks before it alone', async () => {
    const { weights, report } = await train(true, { reward_unfreeze: 1, reward_max_iters: 100 });
    expect(report.r2 ?? -1).toBeGreaterThan(0.3);
    const changed = Object.keys(base).filter((name) => {
      const pair = [weights[name], base[name]];
      return pair[0]?.data.some((value, i) => value !== pair[1]?.data[i]);
    });
    expect(changed).toContain('transformer.h.1.mlp.c_fc.weight');
    expect(changed.filter((name) => /wte|wpe|h\.0\./.test(name))).toEqual([]);
  });

  it.each([0, 1])('that diverges says which tensor went wrong first, with %i blocks unfrozen', async (unfreeze) => {
    const slot = memorySlot();
    await train(true, { reward_unfreeze: unfreeze, reward_max_iters: 10, reward_eval_interval: 5 }, slot);
    const good = slot.saved;
    expect(good?.state['step']).toBe(10);
    if (good) slot.saved = { ...good, state: { ...good.state, finished: null } };
    const wild = { reward_unfreeze: unfreeze, reward_max_iters: 60, reward_learning_rate: 1e30 };
    await expect(train(true, { ...wild, reward_loss: 'cross_entropy' }, slot)).rejects.toMatchObject({
      ...{ code: 'diverged', field: 'reward_learning_rate' },
      message: expect.stringMatching(
        /at step \d+\. (The first tensor that went wrong is|All weights were finite|Every gradient is finite|The loss is finite)/,
      ) as string,
      hint: expect.stringContaining('The last good checkpoint is kept.') as string,
    });
    expect(slot.saved?.state['step']).toBe(10);
  });

  it('learns with cross-entropy as with MSE', async () => {
    const { report } = await train(true, { reward_loss: 'cross_entropy' });
    expect(report.r2 ?? -1).toBeGreaterThan(0.3);
  });

  it('says that it is blind where natural and generated look alike', async () => {
    const { report } = await train(false);
    expect(isUninformative(report)).toBe(true);
    expect(rewardVerdict(report)).toMatch(/cannot tell natural from generated.*GRPO would follow noise/);
  });

  it.each([0, 1])(
    'gives the same bytes twice, also after a stop in the middle (unfreeze %i)',
    async (reward_unfreeze) => {
      const quick = { reward_max_iters: 60, reward_eval_interval: 20, reward_unfreeze };
      const whole = await train(true, quick);
      const slot = memorySlot();
      await expect(train(true, quick, slot, 40)).rejects.toMatchObject({ code: 'stopped' });
      const resumed = await train(true, quick, slot);
      expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
      expect(resumed.report).toEqual(whole.report);
    },
  );
});

describe('what trains', () => {
  const names = ['transformer.wte.weight', 'transformer.h.0.ln_1.weight', 'transformer.h.1.ln_1.weight'];
  const all = [...names, 'transformer.ln_f.weight', 'reward_head.0.weight'];
  it('is the head alone, or the last blocks and what follows them', () => {
    expect(trainedNames(tinyModel, 0, all)).toEqual(['reward_head.0.weight']);
    expect(trainedNames(tinyModel, 1, all)).toEqual(all.slice(2));
    expect(trainedNames(tinyModel, 9, all)).toEqual(all.slice(1));
  });
});
