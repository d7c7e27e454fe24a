/**
 * Llama's family and the modern architecture in every phase that GPT-2 goes through: they learn a text, resume to the byte, become
 * reward models, and are improved by GRPO. Their numbers are compared with PyTorch's in tests/parity/llama.shipped.test.ts.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { trainGrpo } from '../../../main/engine/grpo/grpo.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { rotaryFrequencies } from '../../../main/engine/model/rotary.js';
import { rewardModelStart, trainRewardModel } from '../../../main/engine/reward/reward.js';
import { trainBase } from '../../../main/engine/train/train.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import { parameterCount, parameterShapes } from '../../../shared/architectures/index.js';
import { generatorOf, modelConfigSchema, type GPTConfig } from '../../../shared/config/model.js';
import {
  crossingSamples,
  hashOf,
  memorySlot,
  patternTokens,
  testEnvironment,
  tinyConfig,
  tinyLlama,
  tinyModern,
} from '../../support/engine.js';

const [trainTokens, valTokens] = [patternTokens(2000), patternTokens(400)];

describe.each([
  {
    name: 'Llama’s family',
    model: tinyLlama,
    rewardSteps: 200,
    steps: { grpo_max_steps: 30, grpo_learning_rate: 3e-3 },
  },
  { name: 'modern', model: tinyModern, rewardSteps: 400, steps: { grpo_max_steps: 60, grpo_learning_rate: 1e-2 } },
])('$name', ({ model, rewardSteps, steps }) => {
  async function train(slot = memorySlot(), stopAt?: number) {
    const env = await testEnvironment((event, stop) => {
      if (event.event === 'metrics' && event.step === stopAt) stop();
    });
    const options = { train: tinyConfig(), seed: 3, trainTokens, valTokens, slot, env };
    return trainBase({ ...options, model: { ...model, dropout: 0.1 } });
  }

  let base: NamedArrays;
  let loss: number;
  beforeAll(async () => {
    const { weights, result } = await train();
    [base, loss] = [weights, result.val_loss];
  });

  const rewardOf = async (reward_kind: 'head' | 'critic') =>
    trainRewardModel({
      model,
      weights: base,
      critic: { model, weights: base },
      trainSamples: crossingSamples(model.block_size, 256, 20),
      valSamples: crossingSamples(model.block_size, 128, 21),
      config: tinyConfig({ reward_max_iters: rewardSteps, reward_learning_rate: 3e-3, reward_kind }),
      seed: 1,
      slot: memorySlot(),
      env: await testEnvironment(),
    });

  it('learns the text, far below the loss of token frequencies', () => {
    expect(loss).toBeLessThan(0.9);
    expect(Object.keys(base)).toContain('lm_head.weight');
  });

  it('stopped and resumed, ends in the same bytes', async () => {
    const slot = memorySlot();
    await expect(train(slot, 20)).rejects.toMatchObject({ code: 'stopped' });
    expect(hashOf((await train(slot)).weights)).toBe(hashOf(base));
  });

  it('trains adapters alone, and leaves the rest as it was', async () => {
    const lora: GPTConfig = { ...model, lora: { rank: 2, alpha: 4, projections: 'all' } };
    const options = { train: tinyConfig({ max_iters: 20 }), seed: 3, trainTokens, valTokens, from: base };
    const { weights } = await trainBase({ ...options, model: lora, slot: memorySlot(), env: await testEnvironment() });
    const same = Object.keys(base).filter((name) => weights[name]?.data.every((x, i) => x === base[name]?.data[i]));
    expect(same.sort()).toEqual(Object.keys(base).sort());
    expect(Object.keys(weights).some((name) => name.includes('lora_'))).toBe(true);
  });

  it('has an output layer as a critic, but not as a reward head', async () => {
    const start = (reward_kind: 'head' | 'critic') => {
      const options = { model, weights: base, critic: { model, weights: base }, seed: 1 };
      return Object.keys(rewardModelStart({ ...options, config: tinyConfig({ reward_kind }) }).weights);
    };
    expect(start('head')).not.toContain('lm_head.weight');
    expect(start('head')).toContain('reward_head.0.weight');
    expect(start('critic')).toContain('lm_head.weight');
    expect(Number.isFinite((await rewardOf('critic')).report.r2)).toBe(true);
  });

  it('learns a reward, by which GRPO improves a model of the same shape', async () => {
    const reward = await rewardOf('head');
    expect(reward.report.r2 ?? -1).toBeGreaterThan(0.3);
    const groups = { beta: 0, kl_cap: 100, group_size: 8, prompts_per_step: 4, grpo_eval_prompts: 64 };
    const config = tinyConfig({ ...groups, ...steps });
    const { weights, result } = await trainGrpo({
      model,
      policy: base,
      rewardModel: reward.model,
      rewardWeights: reward.weights,
      trainTokens,
      valTokens,
      config,
      generation: config,
      tokenization: 'char',
      vocabLimit: 8,
      seed: 3,
      slot: memorySlot(),
      env: await testEnvironment(),
    });
    expect(result.reward_last).toBeGreaterThan((result.reward_first_interval?.high ?? 1) + 0.05);
    expect(Object.keys(weights).sort()).toEqual(Object.keys(base).sort());
  });
});

/** The standard deviation of initial weights. */
const spreadIn = (weights: NamedArrays) => (name: string) => {
  const { data } = weights[name] ?? { data: new Float32Array() };
  return Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
};

const scaling = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_positions: 64 } as const;

describe('a shape of Llama’s family', () => {
  const parse = (changes: object, shape: object = {}) =>
    modelConfigSchema.safeParse({ ...tinyLlama, ...changes, llama: { ...tinyLlama.llama, ...shape } });

  it('has the weights of published models', () => {
    const smol: GPTConfig = {
      ...tinyLlama,
      ...{ n_layer: 30, n_head: 9, n_embd: 576, vocab_size: 49152, block_size: 256 },
      llama: {
        ...{ n_kv_head: 3, head_dim: 64, n_inner: 1536, norm_epsilon: 1e-5, rope_theta: 1e5, max_positions: 8192 },
        ...{ tied_head: true, qk_norm: false, attention_bias: 'none' },
      },
    };
    expect(parameterCount(smol)).toBe(134_515_008);
  });

  it('starts with smaller output projections', () => {
    const weights = initialWeights({ ...tinyLlama, n_embd: 64, n_layer: 8 }, 1);
    const spread = spreadIn(weights);
    expect(spread('model.layers.0.mlp.up_proj.weight')).toBeCloseTo(0.02, 2);
    expect(spread('model.layers.0.mlp.down_proj.weight')).toBeCloseTo(0.005, 3);
    expect(new Set(weights['model.norm.weight']?.data)).toEqual(new Set([1]));
  });

  it.each<[string, object, object, RegExp]>([
    ['heads that do not share evenly', { n_head: 3 }, { n_kv_head: 2 }, /n_head \(3\) must be divisible by n_kv_head/],
    ['an odd head', {}, { head_dim: 7 }, /multiple/],
    ['a context beyond its positions', { block_size: 65 }, {}, /block_size \(65\) must be at most max_positions/],
    ['another architecture', { architecture: 'gpt2' }, {}, /architecture gpt2 has no llama shape/],
    [
      'inverted scaling',
      {},
      { rope_scaling: { type: 'llama3', ...scaling, low_freq_factor: 4, high_freq_factor: 1 } },
      /low_freq_factor/,
    ],
  ])('refuses %s', (_, changes, shape, message) => {
    expect(parse({}).success).toBe(true);
    expect(parse(changes, shape).error?.message).toMatch(message);
  });

  it('is required', () => {
    const { llama: _, ...rest } = tinyLlama;
    expect(modelConfigSchema.safeParse(rest).error?.message).toMatch(/needs a llama shape/);
  });

  it('may scale rotary positions: high frequencies stay, low ones are divided by the factor', () => {
    const rotary = { head_dim: 8, rope_theta: 500 };
    const plain = rotaryFrequencies(rotary);
    const shares = rotaryFrequencies({ ...rotary, rope_scaling: { type: 'llama3', ...scaling } }).map(
      (frequency, i) => (plain[i] ?? NaN) / frequency,
    );
    expect(shares[0]).toBe(1);
    expect(shares[1]).toBeGreaterThan(1);
    expect(shares[1]).toBeLessThan(8);
    expect(shares[3]).toBeCloseTo(8, 5);
    const linear = rotaryFrequencies({ ...rotary, rope_scaling: { type: 'linear', factor: 4 } });
    expect(Array.from(linear)).toEqual(Array.from(plain, (frequency) => frequency / 4));
  });
});

describe('a shape of the modern architecture', () => {
  const network = generatorOf({ ...tinyModern, n_embd: 64, n_head: 4, n_layer: 3, bias: true }, 100);
  const shapeWith = (changes: object) => ({
    ...{ n_kv_head: 1, head_dim: 8, n_inner: 40, norm_epsilon: 1e-6, rope_theta: 10000, max_positions: 64 },
    ...{ tied_head: false, logit_cap: 15, ...changes },
  });

  it('follows from width, depth and heads, without biases', () => {
    expect(network).toMatchObject({ architecture: 'modern', bias: false });
    expect(parameterCount(network)).toBe(2 * 100 * 64 + 3 * 12 * 64 * 64);
    expect(Object.values(parameterShapes(network)).every(({ length }) => length === 2)).toBe(true);
  });

  it('starts with blocks that add nothing, and matrices that keep the size of their inputs', () => {
    const weights = initialWeights(network, 1);
    const spread = spreadIn(weights);
    expect(spread('model.layers.1.self_attn.q_proj.weight')).toBeCloseTo(1 / 8, 2);
    expect(spread('model.layers.2.mlp.fc1.weight')).toBeCloseTo(1 / 8, 2);
    expect(spread('model.embed_tokens.weight')).toBeCloseTo(1, 1);
    expect(spread('lm_head.weight')).toBeCloseTo(1 / 16, 2);
    expect(weights['model.layers.0.mlp.fc2.weight']?.data.every((value) => Object.is(value, 0))).toBe(true);
  });

  it.each<[string, object, RegExp]>([
    ['an odd width of heads', { n_embd: 9, n_head: 3 }, /divisible by twice n_head.* nearest that is: 12/],
    ['another architecture', { architecture: 'gpt2', modern: shapeWith({}) }, /architecture gpt2 has no modern shape/],
    ['heads that do not share evenly', { modern: shapeWith({ n_kv_head: 3 }) }, /divisible by n_kv_head/],
    ['a context beyond its positions', { block_size: 65, modern: shapeWith({}) }, /at most max_positions \(64\)/],
    ['a bound of 0', { modern: shapeWith({ logit_cap: 0 }) }, /logit_cap/],
  ])('refuses %s', (_, changes, message) => {
    expect(modelConfigSchema.safeParse(tinyModern).success).toBe(true);
    expect(modelConfigSchema.safeParse({ ...tinyModern, ...changes }).error?.message).toMatch(message);
  });
});
