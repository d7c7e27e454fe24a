/**
 * The modern architecture in every phase that GPT-2 goes through: it learns a text, resumes to the byte, becomes a reward model
 * of each kind, and is improved by GRPO. What it computes is held to PyTorch's in tests/parity/llama.shipped.test.ts.
 */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { trainGrpo } from '../../../main/engine/grpo/grpo.js';
import { createParameters, initialWeights, trunk } from '../../../main/engine/model/model.js';
import { nextTokenLoss } from '../../../main/engine/model/token-losses.js';
import { trainRewardModel } from '../../../main/engine/reward/reward.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
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
  tinyModern,
} from '../../support/engine.js';
import { testRuntime, withSession } from '../../support/runtime.js';

const T = tinyModern.block_size;
const [trainTokens, valTokens] = [patternTokens(2000), patternTokens(400)];

async function train(slot = memorySlot(), stopAt?: number, model: GPTConfig = { ...tinyModern, dropout: 0.1 }) {
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
    const { result } = await train();
    expect(result.val_loss).toBeLessThan(0.9);
  });

  it('stopped and resumed, ends in the same bytes', async () => {
    const slot = memorySlot();
    await expect(train(slot, 20)).rejects.toMatchObject({ code: 'stopped' });
    const { weights } = await train(slot);
    expect(hashOf(weights)).toBe(hashOf(base));
  });

  it('trains adapters alone, and leaves the rest as it was', async () => {
    const lora: GPTConfig = { ...tinyModern, lora: { rank: 2, alpha: 4, projections: 'all' } };
    const env = await testEnvironment();
    const options = { train: tinyConfig({ max_iters: 20 }), seed: 3, trainTokens, valTokens, env };
    const { weights } = await trainBase({ ...options, model: lora, slot: memorySlot(), from: base });
    const changed = Object.keys(weights).filter((name) => weights[name]?.data !== base[name]?.data);
    const same = Object.keys(base).filter((name) => weights[name]?.data.every((x, i) => x === base[name]?.data[i]));
    expect(same.sort()).toEqual(Object.keys(base).sort());
    expect(changed.filter((name) => name.includes('lora_'))).toHaveLength(2 * 6 * tinyModern.n_layer);
  });
});

describe('a reward model of it', () => {
  const rewardOf = async (changes: Parameters<typeof tinyConfig>[0]) =>
    trainRewardModel({
      model: tinyModern,
      weights: base,
      critic: { model: tinyModern, weights: base },
      trainSamples: crossingSamples(T, 256, 20),
      valSamples: crossingSamples(T, 128, 21),
      config: tinyConfig({ reward_max_iters: 400, reward_learning_rate: 3e-3, ...changes }),
      seed: 1,
      slot: memorySlot(),
      env: await testEnvironment(),
    });

  it('learns what its trunk shows', async () => {
    const { report } = await rewardOf({ reward_kind: 'head' });
    expect(report.r2 ?? -1).toBeGreaterThan(0.3);
  });

  it('compares as a critic', async () => {
    const { report, model } = await rewardOf({ reward_kind: 'critic' });
    expect(Object.keys(parameterShapes(model))).toContain('lm_head.weight');
    expect(Number.isFinite(report.r2)).toBe(true);
  });

  it('rewards GRPO, which raises the reward and leaves a model of the same shape', async () => {
    const reward = await rewardOf({ reward_kind: 'head' });
    const config = tinyConfig({
      ...{ grpo_max_steps: 60, grpo_learning_rate: 1e-2, beta: 0, kl_cap: 100, group_size: 8, prompts_per_step: 4 },
      ...{ grpo_eval_prompts: 64 },
    });
    const { weights, result } = await trainGrpo({
      model: tinyModern,
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

describe('gradients', () => {
  /** Far from how it begins, so that every number matters. */
  const weights = Object.fromEntries(
    Object.entries(initialWeights(tinyModern, 1)).map(([name, { shape, data }], at) => [
      name,
      { shape, data: data.map((_, i) => 0.4 * Math.sin(1 + 1.7 * i + at)) },
    ]),
  );
  const ids = Int32Array.from({ length: 2 * (T + 1) }, (_, i) => (i * i + 3) % 8);

  it('are those of finite differences, along a direction of every parameter', async () => {
    await testRuntime();
    await withSession('eager', (session) => {
      const parameters = createParameters(session, weights);
      const [x, y] = [0, 1].map((from) =>
        tf.tensor2d(
          [0, 1].flatMap((row) => [...ids.subarray(row * (T + 1) + from, row * (T + 1) + from + T)]),
          [2, T],
          'int32',
        ),
      ) as [tf.Tensor2D, tf.Tensor2D];
      const loss = () =>
        nextTokenLoss({ model: tinyModern, parameters, hidden: trunk(tinyModern, parameters, x), labels: y });
      const { gradients } = gradientsOf(loss, parameters);
      for (const [name, variable] of Object.entries(parameters)) {
        const kept = Float32Array.from(variable.dataSync());
        const direction = kept.map((_, i) => Math.cos(3 + 0.9 * i));
        const at = (step: number): number => {
          variable.assign(
            tf.tensor(
              kept.map((value, i) => value + step * (direction[i] ?? 0)),
              variable.shape,
            ),
          );
          return loss().dataSync()[0] ?? NaN;
        };
        const h = 2e-3;
        // The fourth-order difference, so that rounding in float32 is what is left.
        const slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        at(0);
        const exact = Array.from(gradients[name]?.dataSync() ?? []).reduce(
          (sum, g, i) => sum + g * (direction[i] ?? 0),
          0,
        );
        expect(Math.abs(slope - exact), `${name}: ${slope} and ${exact}`).toBeLessThan(
          2e-3 * Math.max(1, Math.abs(exact)),
        );
      }
      return Promise.resolve();
    });
  });
});

describe('its shape', () => {
  const settings = { ...tinyModern, n_embd: 64, n_head: 4, n_layer: 3 };
  const network = generatorOf({ ...settings, bias: true }, 100);

  it('is decided by width, depth and heads where it begins from nothing, and has no biases', () => {
    expect(network).toMatchObject({ architecture: 'modern', bias: false });
    expect(parameterCount(network)).toBe(2 * 100 * 64 + 3 * 12 * 64 * 64);
    expect(Object.values(parameterShapes(network)).every(({ length }) => length === 2)).toBe(true);
  });

  it('begins with blocks that add nothing, and matrices that keep the size of what they are given', () => {
    const made = initialWeights(network, 1);
    const spread = (name: string) => {
      const { data } = made[name] ?? { data: new Float32Array() };
      return Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
    };
    expect(spread('model.layers.1.self_attn.q_proj.weight')).toBeCloseTo(1 / 8, 2);
    expect(spread('model.layers.2.mlp.fc1.weight')).toBeCloseTo(1 / 8, 2);
    // The embedding is normed, so that only its directions matter; scores begin small.
    expect(spread('model.embed_tokens.weight')).toBeCloseTo(1, 1);
    expect(spread('lm_head.weight')).toBeCloseTo(1 / 16, 2);
    // Plain zeros: their bytes are the same whatever noise they were not given.
    const zeros = made['model.layers.0.mlp.fc2.weight']?.data ?? [1];
    expect(zeros.every((value) => Object.is(value, 0))).toBe(true);
  });

  it.each<[string, object, RegExp]>([
    [
      'heads of an odd width',
      { n_embd: 9, n_head: 3 },
      /n_embd \(9\) must be divisible by twice n_head.* nearest that is: 12/,
    ],
    ['another’s shape', { architecture: 'gpt2', modern: shapeWith({}) }, /architecture gpt2 has no modern shape/],
    ['heads that do not share evenly', { modern: shapeWith({ n_kv_head: 3 }) }, /divisible by n_kv_head/],
    ['a context beyond its positions', { block_size: 65, modern: shapeWith({}) }, /at most max_positions \(64\)/],
    ['a bound of nothing', { modern: shapeWith({ logit_cap: 0 }) }, /logit_cap/],
  ])('%s is refused', (_, changes, message) => {
    expect(modelConfigSchema.safeParse(tinyModern).success).toBe(true);
    expect(modelConfigSchema.safeParse({ ...tinyModern, ...changes }).error?.message).toMatch(message);
  });
});

function shapeWith(changes: object) {
  return {
    ...{ n_kv_head: 1, head_dim: 8, n_inner: 40, norm_epsilon: 1e-6, rope_theta: 10000, max_positions: 64 },
    ...{ tied_head: false, logit_cap: 15, ...changes },
  };
}
