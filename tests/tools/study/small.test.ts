/**
 * The method in small, on a real book: a critic sees what a head cannot, GRPO against it makes the writing more natural
 * by the critic and by a judge that took no part, and what is written stays language. `npm run study` is the large one.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Nats } from '../../../shared/report.js';
import { trainGrpo } from '../../../main/engine/grpo/grpo.js';
import { judgeWriting } from '../../../main/engine/cycle/judgement.js';
import { makeRewardData } from '../../../main/engine/reward/reward-data.js';
import { trainRewardModel, type LanguageModel, type RewardModelResult } from '../../../main/engine/reward/reward.js';
import { createCopyIndex } from '../../../main/engine/statistics/text-statistics.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { trainBase } from '../../../main/engine/train/train.js';
import type { Environment, RewardSamples } from '../../../main/engine/types.js';
import { sampleTextPath } from '../../../main/installation/locations.mjs';
import { projectConfigSchema, type GPTConfig, type RewardKind } from '../../../shared/config/index.js';
import { presets } from '../../../shared/config/presets.js';
import { memorySlot, samplesInMemory } from '../../support/engine.js';
import { testRuntime } from '../../support/runtime.js';

const LENGTH = 300_000;
/** Two minutes of one core are enough; on a busy machine it takes longer, and means no less. */
const PATIENCE = 900_000;
const text = readFileSync(sampleTextPath(), 'utf8').slice(0, LENGTH);
const alphabet = [...new Set(text)].sort();
const place = new Map(alphabet.map((char, id) => [char, id]));
const ids = Uint16Array.from(text, (char) => place.get(char) ?? 0);
const tokens = {
  train: tokensInMemory(ids.subarray(0, LENGTH * 0.9)),
  val: tokensInMemory(ids.subarray(LENGTH * 0.9)),
};

const model: GPTConfig = {
  ...{ block_size: 32, vocab_size: alphabet.length, n_layer: 2, n_head: 2, n_embd: 64, dropout: 0, bias: true },
  ...{ mode: 'generator', reward_head_hidden_dim: 64 },
};
const config = projectConfigSchema.parse({
  ...presets.classic.values,
  ...model,
  ...{ batch_size: 16, eval_interval: 10_000, eval_iters: 10, reward_train_samples: 600, reward_val_samples: 600 },
  ...{
    reward_max_iters: 200,
    grpo_max_steps: 32,
    grpo_eval_prompts: 256,
    grpo_learning_rate: 1e-3,
    perplexity_interval: 32,
  },
});

let env: Environment;
let generator: LanguageModel;
let critic: LanguageModel;
let judge: LanguageModel;
let samples: Readonly<Record<'train' | 'val', RewardSamples>>;
let seeing: RewardModelResult;

const reward = (kind: RewardKind) =>
  trainRewardModel({
    ...{ ...generator, ...(kind === 'critic' ? { critic } : {}), trainSamples: samples.train, valSamples: samples.val },
    ...{ config: { ...config, reward_kind: kind }, seed: 1, slot: memorySlot(), env },
  });

beforeAll(async () => {
  env = {
    runtime: await testRuntime(),
    emit: () => undefined,
    now: () => Date.now(),
    stop: { requested: false },
    yieldToEventLoop: async () => undefined,
  };
  const languageModel = async (max_iters: number, seed: number) => {
    const split = { trainTokens: tokens.train, valTokens: tokens.val };
    const train = { ...config, max_iters };
    const { weights } = await trainBase({ model, train, seed, ...split, slot: memorySlot(), env });
    return { model, weights };
  };
  generator = await languageModel(150, 1);
  critic = await languageModel(600, 2);
  judge = await languageModel(500, 3);
  const rows = { train: { x: [] as number[][], y: [] as number[] }, val: { x: [] as number[][], y: [] as number[] } };
  await makeRewardData({
    ...{ ...generator, tokens, config, generation: config, seed: 4, vocabLimit: alphabet.length, env },
    append(split, x, y) {
      for (let row = 0; row < y.length / 2; row++) {
        rows[split].x.push(Array.from(x.subarray(row * 32, (row + 1) * 32)));
        rows[split].y.push(y[row * 2] ?? NaN);
      }
    },
  });
  const inMemory = (split: 'train' | 'val') => samplesInMemory(32, rows[split].x, rows[split].y);
  samples = { train: inMemory('train'), val: inMemory('val') };
  seeing = await reward('critic');
}, PATIENCE);

describe('the method, in small', () => {
  it('a critic sees, where the specification’s head on the same generator does not', async () => {
    expect(seeing.report.r2).toBeGreaterThan(0.3);
    expect(seeing.report.r2_interval?.low).toBeGreaterThan(0.2);
    const { report } = await reward('head');
    expect(report.r2).toBeLessThan((seeing.report.r2 ?? NaN) - 0.2);
  });

  it(
    'GRPO raises the reward on fresh prompts, and a judge that took no part agrees',
    async () => {
      const judged = {
        judge,
        valTokens: tokens.val,
        copies: createCopyIndex(tokens.train),
        tokenization: 'char',
      } as const;
      const options = { ...judged, generation: config, vocabLimit: alphabet.length, passages: 256, seed: 5, env };
      const before = await judgeWriting(generator, options);
      const { weights, result } = await trainGrpo({
        ...{ model, policy: generator.weights, rewardModel: seeing.model, rewardWeights: seeing.weights },
        ...{ trainTokens: tokens.train, valTokens: tokens.val, config, generation: config, tokenization: 'char' },
        ...{ vocabLimit: alphabet.length, seed: 6, slot: memorySlot(), env },
      });
      expect(result.reward_last_interval?.low).toBeGreaterThan(result.reward_first);
      const after = await judgeWriting({ model, weights }, options);
      for (const sort of ['unconditional', 'prompted'] as const) {
        // More than the 95 % interval of the difference of two means.
        const reach = Math.hypot(...[before, after].map((one) => halfWidth(one[sort])));
        expect(before[sort].mean - after[sort].mean, sort).toBeGreaterThan(reach);
      }
      expect(result.perplexity_after / result.perplexity_before).toBeLessThan(1.05);
      const natural = await judgeWriting(null, options);
      expect((after.distinct_3 ?? 0) / (natural.distinct_3 ?? NaN)).toBeGreaterThan(0.9);
      const { r2, r2_interval } = seeing.report;
      // What docs/experiments.md tells of it.
      console.info('in small:', JSON.stringify({ r2, r2_interval, ...result, before, after }));
    },
    PATIENCE,
  );
});

const halfWidth = ({ interval }: Nats): number => (interval ? (interval.high - interval.low) / 2 : NaN);
