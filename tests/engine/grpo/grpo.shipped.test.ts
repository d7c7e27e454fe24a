/** GRPO: the reward rises where there is something to gain, its caps hold, and it resumes to the byte. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { trainGrpo } from '../../../main/engine/grpo/grpo.js';
import { samplePrompts } from '../../../main/engine/generate/prompts.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { localized } from '../../../shared/messages/message.js';
import { uniformInt } from '../../../main/engine/rng.js';
import { trainRewardModel } from '../../../main/engine/reward/reward.js';
import type { RewardModelResult } from '../../../main/engine/reward/reward-types.js';
import {
  hashOf,
  memorySlot,
  patternTokens,
  samplesInMemory,
  testEnvironment,
  tinyConfig,
  tinyModel,
} from '../../support/engine.js';
import { inEnglish } from '../../support/messages.js';

const T = tinyModel.block_size;
const trainTokens = patternTokens(2000);
const valTokens = patternTokens(400);
const policy = initialWeights(tinyModel, 5);
let reward: RewardModelResult;

/** A reward model that likes low token ids: what an untrained policy writes leaves much to gain. */
beforeAll(async () => {
  const rows = Array.from({ length: 400 }, (_, row) => {
    const highest = 1 + (row % 8);
    return Array.from({ length: T }, (_, i) => uniformInt(2, 30, row, i, highest));
  });
  const fractions = rows.map((_, row) => 1 - (row % 8) / 8);
  reward = await trainRewardModel({
    model: tinyModel,
    weights: policy,
    trainSamples: samplesInMemory(T, rows, fractions),
    valSamples: samplesInMemory(T, rows.slice(0, 100), fractions.slice(0, 100)),
    config: tinyConfig({ reward_max_iters: 600, reward_learning_rate: 3e-3 }),
    seed: 1,
    slot: memorySlot(),
    env: await testEnvironment(),
  });
});

async function run(
  changes: Parameters<typeof tinyConfig>[0] = {},
  slot = memorySlot(),
  stopAt?: number,
  rewardWeights = reward.weights,
) {
  const config = tinyConfig(changes);
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && event.phase === 'grpo' && event.step === stopAt) stop();
  });
  const outcome = await trainGrpo({
    model: tinyModel,
    policy,
    rewardModel: reward.model,
    rewardWeights,
    trainTokens,
    valTokens,
    config,
    generation: config,
    tokenization: 'char',
    vocabLimit: 8,
    seed: 3,
    slot,
    env,
  });
  return { ...outcome, env };
}

describe('GRPO', () => {
  it('raises the reward on held-out prompts and logs what TRL logs', async () => {
    const { result, env } = await run({
      grpo_max_steps: 40,
      grpo_learning_rate: 3e-3,
      beta: 0,
      kl_cap: 100,
      group_size: 8,
      prompts_per_step: 4,
      grpo_eval_prompts: 64,
    });
    expect(result.reward_last).toBeGreaterThan((result.reward_first_interval?.high ?? 1) + 0.05);
    const rows = env.events.flatMap((event) => (event.event === 'metrics' ? [event.values] : []));
    expect(rows).toHaveLength(40);
    const logged = `reward reward_std frac_reward_zero_std loss entropy kl clip_ratio_low clip_ratio_high grad_norm learning_rate
      completion_mean_length num_tokens seconds_generate seconds_score seconds_update held_out_perplexity distinct_1 distinct_2
      distinct_3 longest_repeated_run copied_share`;
    expect(Object.keys(rows[19] ?? {})).toEqual(expect.arrayContaining(logged.split(/\s+/)));
    expect(rows[0]?.['kl']).toBeCloseTo(0, 5);
    // The reward is a share of one here.
    const { reward: last, kl } = rows.at(-1) ?? {};
    expect(env.events).toContainEqual(
      expect.objectContaining({ event: 'progress', detail: localized('grpo.progress', { reward: last, kl }) }),
    );
    expect(inEnglish('grpo.progress', { reward: 0.5431, kl: 0.02 })).toBe('reward 54.3%, KL 0.020');
  });

  it('stops at the KL cap and keeps the last weights below it', async () => {
    const kls: number[] = [];
    const slot = memorySlot();
    const { result, env, weights } = await run(
      { grpo_max_steps: 50, grpo_learning_rate: 1e-2, beta: 0, kl_cap: 0.05 },
      slot,
    );
    for (const event of env.events) if (event.event === 'metrics') kls.push(event.values['kl'] ?? NaN);
    expect(result.stopped_because).toBe('kl_cap');
    expect(kls.pop()).toBeGreaterThan(0.05);
    expect(Math.max(...kls)).toBeLessThanOrEqual(0.05);
    // The weights that were measured at the last step below the cap are the result of one step fewer.
    const fewer = await run({ grpo_max_steps: result.steps - 2, grpo_learning_rate: 1e-2, beta: 0, kl_cap: 0.05 });
    expect(hashOf(weights)).toBe(hashOf(fewer.weights));
  });

  const held = {
    ...{ ptx_coef: 0.5, ptx_batch_size: 4, kl_target: 0.02, policy_average: 0.9 },
    ...{ grpo_lr_schedule: 'linear' as const, grpo_warmup_steps: 1 },
  };
  it.each([{ num_iterations: 1 }, { num_iterations: 2 }, held, { ...held, num_iterations: 2 }])(
    'resumes to the byte: %o',
    async (changes) => {
      const whole = await run(changes);
      const slot = memorySlot();
      await expect(run(changes, slot, 3)).rejects.toMatchObject({ code: 'stopped' });
      const resumed = await run(changes, slot);
      expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
      expect(resumed.result).toEqual(whole.result);
    },
  );

  it('logs what holds the language model, and keeps the average of the weights', async () => {
    const changes = { grpo_max_steps: 4, grpo_learning_rate: 3e-3, kl_cap: 100 };
    const { env, weights } = await run({ ...changes, ...held });
    const rows = env.events.flatMap((event) => (event.event === 'metrics' ? [event.values] : []));
    expect(rows[0]?.['ptx_loss']).toBeGreaterThan(0);
    // Half of the rate in the one step of warm-up, then down to nothing over the three that are left.
    const rates = rows.map((row) => (row['learning_rate'] ?? NaN) / 3e-3);
    [1 / 2, 1, 2 / 3, 1 / 3].forEach((rate, step) => expect(rates[step]).toBeCloseTo(rate, 6));
    // The first step's KL is 0, far below the target: β falls by a fifth.
    expect((rows[1]?.['beta'] ?? NaN) / (rows[0]?.['beta'] ?? NaN)).toBeCloseTo(0.8, 6);
    const last = await run({ ...changes, ...held, policy_average: 0 });
    const distance = (found: typeof weights) =>
      Object.entries(found).reduce(
        (sum, [name, { data }]) => sum + data.reduce((s, v, i) => s + (v - (policy[name]?.data[i] ?? NaN)) ** 2, 0),
        0,
      );
    expect(distance(weights)).toBeGreaterThan(0);
    expect(distance(weights)).toBeLessThan(distance(last.weights));
  });

  it('a reward model that does not weigh tokens gives no log-ratio', async () => {
    await expect(run({ reward_shape: 'token_log_ratio' })).rejects.toThrow('weighs tokens');
  });

  it('leaves no tensor behind', async () => {
    const before = tf.memory().numTensors;
    await run({ num_iterations: 2, ...held });
    expect(tf.memory().numTensors).toBe(before);
  });

  const wild = { grpo_learning_rate: 1e30, kl_cap: 1e30 };
  it.each([
    { name: 'in one pass over each batch', changes: wild, step: 2 },
    { name: 'in the second of two passes', changes: { ...wild, num_iterations: 2 }, step: 1 },
    { name: 'with text mixed in', changes: { ...wild, ptx_coef: 0.5, ptx_batch_size: 4 }, step: 2 },
  ])('that diverges $name says at which step and which tensor went wrong first', async ({ changes, step }) => {
    const before = tf.memory().numTensors;
    const slot = memorySlot();
    await expect(run(changes, slot)).rejects.toMatchObject({
      ...{ code: 'diverged', field: 'grpo_learning_rate' },
      message: expect.stringMatching(
        new RegExp(`at step ${step}\\. (The first tensor that went wrong is|All weights were finite)`),
      ) as string,
      hint: expect.stringContaining('smaller learning rate for GRPO') as string,
    });
    expect(slot.saved).toBeNull();
    expect(tf.memory().numTensors).toBe(before);
  });

  it('says so when it is the reward model whose answers are no numbers', async () => {
    const spoilt = { ...reward.weights['reward_head.2.bias'], data: Float32Array.of(NaN, 0), shape: [2] };
    const weights = { ...reward.weights, 'reward_head.2.bias': spoilt };
    const slot = memorySlot();
    await expect(run({}, slot, 2)).rejects.toMatchObject({ code: 'stopped' });
    expect(slot.saved?.state['step']).toBe(2);
    await expect(run({}, slot, undefined, weights)).rejects.toMatchObject({
      code: 'diverged',
      message: expect.stringContaining(
        'at step 3. The rewards are not finite. The first tensor that went wrong is reward_head.2.bias',
      ) as string,
      hint: expect.stringContaining('The last good checkpoint is kept.') as string,
    });
    expect(slot.saved?.state['step']).toBe(2);
  });

  it('stops when the reward passes the threshold and when it no longer rises', async () => {
    const easy = await run({ grpo_max_steps: 30, reward_threshold: 0.01 });
    expect(easy.result).toMatchObject({ stopped_because: 'reward_threshold', steps: 10 });
    const flat = await run({ grpo_max_steps: 30, grpo_learning_rate: 1e-9, grpo_patience: 4 });
    expect(flat.result).toMatchObject({ stopped_because: 'reward_plateau', steps: 5 });
  });
});

describe('prompts', () => {
  it('have lengths uniform in [1, block_size/2] and come from the text', () => {
    const prompts = samplePrompts(trainTokens, 4000, T, { seed: 1, stream: 6, step: 0 });
    const lengths = new Map<number, number>();
    for (const { length } of prompts) lengths.set(length, (lengths.get(length) ?? 0) + 1);
    expect([...lengths.keys()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const count of lengths.values()) expect(Math.abs(count - 500)).toBeLessThan(5 * Math.sqrt(500));
    const text = Array.from(trainTokens.read(0, trainTokens.length)).join(',');
    for (const prompt of prompts.slice(0, 50)) expect(text).toContain(Array.from(prompt).join(','));
  });
});
