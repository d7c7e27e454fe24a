/**
 * Llama's family in every phase that GPT-2 goes through: it learns a text, resumes to the byte, becomes a reward model of
 * each kind, and is improved by GRPO. What it computes is held to PyTorch's in tests/parity/llama.shipped.test.ts.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { trainGrpo } from '../../../main/engine/grpo/grpo.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { rotaryFrequencies } from '../../../main/engine/model/rotary.js';
import { rewardModelStart, trainRewardModel } from '../../../main/engine/reward/reward.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { modelConfigSchema, type GPTConfig } from '../../../shared/config/model.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import {
  crossingSamples,
  hashOf,
  memorySlot,
  patternTokens,
  testEnvironment,
  tinyConfig,
  tinyLlama,
} from '../../support/engine.js';

const T = tinyLlama.block_size;
const [trainTokens, valTokens] = [patternTokens(2000), patternTokens(400)];

async function train(slot = memorySlot(), stopAt?: number, model: GPTConfig = { ...tinyLlama, dropout: 0.1 }) {
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && event.step === stopAt) stop();
  });
  return trainBase({ model, train: tinyConfig(), seed: 3, trainTokens, valTokens, slot, env });
}

let base: NamedArrays;
beforeAll(async () => {
  base = (await train()).weights;
});

describe('base training', () => {
  it('learns the text: far below the loss of one who knows only how often tokens come', async () => {
    const { result, weights } = await train();
    expect(result.val_loss).toBeLessThan(0.9);
    expect(Object.keys(weights)).toContain('lm_head.weight');
  });

  it('stopped and resumed, ends in the same bytes', async () => {
    const slot = memorySlot();
    await expect(train(slot, 20)).rejects.toMatchObject({ code: 'stopped' });
    const { weights } = await train(slot);
    expect(hashOf(weights)).toBe(hashOf(base));
  });
});

describe('a reward model of this family', () => {
  const rewardOf = async (changes: Parameters<typeof tinyConfig>[0]) =>
    trainRewardModel({
      model: tinyLlama,
      weights: base,
      critic: { model: tinyLlama, weights: base },
      trainSamples: crossingSamples(T, 256, 20),
      valSamples: crossingSamples(T, 128, 21),
      config: tinyConfig({ reward_max_iters: 200, reward_learning_rate: 3e-3, ...changes }),
      seed: 1,
      slot: memorySlot(),
      env: await testEnvironment(),
    });

  it('has the trunk without the output layer, which only a critic needs', () => {
    const start = (reward_kind: 'head' | 'critic') => {
      const options = { model: tinyLlama, weights: base, critic: { model: tinyLlama, weights: base }, seed: 1 };
      return Object.keys(rewardModelStart({ ...options, config: tinyConfig({ reward_kind }) }).weights);
    };
    expect(start('head')).not.toContain('lm_head.weight');
    expect(start('head')).toContain('reward_head.0.weight');
    expect(start('critic')).toContain('lm_head.weight');
  });

  it('learns what its trunk shows', async () => {
    const { report } = await rewardOf({ reward_kind: 'head' });
    expect(report.r2 ?? -1).toBeGreaterThan(0.3);
  });

  it('rewards GRPO, which raises the reward and leaves a model of the same shape', async () => {
    const reward = await rewardOf({ reward_kind: 'head' });
    const config = tinyConfig({
      ...{ grpo_max_steps: 30, grpo_learning_rate: 3e-3, beta: 0, kl_cap: 100, group_size: 8, prompts_per_step: 4 },
      ...{ grpo_eval_prompts: 64 },
    });
    const { weights, result } = await trainGrpo({
      model: tinyLlama,
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

describe('its shape', () => {
  const parse = (changes: object, shape: object = {}) =>
    modelConfigSchema.safeParse({ ...tinyLlama, ...changes, llama: { ...tinyLlama.llama, ...shape } });

  it('has the weights of the models that are published', () => {
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

  it('begins smaller where a block adds to what is passed on', () => {
    const weights = initialWeights({ ...tinyLlama, n_embd: 64, n_layer: 8 }, 1);
    const spread = (name: string) => {
      const { data } = weights[name] ?? { data: new Float32Array() };
      return Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
    };
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
      'a scaling the wrong way round',
      {},
      {
        rope_scaling: { type: 'llama3', factor: 8, low_freq_factor: 4, high_freq_factor: 1, original_positions: 64 },
      },
      /low_freq_factor/,
    ],
  ])('%s is refused', (_, changes, shape, message) => {
    expect(parse({}).success).toBe(true);
    expect(parse(changes, shape).error?.message).toMatch(message);
  });

  it('one that names the family and not its shape is refused', () => {
    const { llama: _, ...rest } = tinyLlama;
    expect(modelConfigSchema.safeParse(rest).error?.message).toMatch(/needs a llama shape/);
  });
});

it('stretched rotary positions: fast turns stay, slow ones take the whole factor, between them part of it', () => {
  const rotary = { head_dim: 8, rope_theta: 500 };
  const scaling = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_positions: 64 } as const;
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
