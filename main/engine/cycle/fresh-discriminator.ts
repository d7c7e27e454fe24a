/**
 * Fits a discriminator that GRPO has never seen, with the judge as its critic, to new passages of a generator. Its R² falls as the
 * writing becomes harder to distinguish from natural text, and not if it only pleases the reward model.
 */
import type { RewardReport } from '../../../shared/reports/report.js';
import { freshDiscriminatorSettings } from '../../../shared/config/evaluation.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { makeRewardData, type Split } from '../reward/reward-data.js';
import { trainRewardModel, type LanguageModel } from '../reward/reward.js';
import { nothingKept, type RewardSamples, type TokenIds, type TokenSource } from '../types.js';
import { withinEvaluation } from './cycle-phase.js';
import type { IndependentJudge } from './judgement.js';

interface FreshDiscriminatorOptions extends IndependentJudge {
  readonly generator: LanguageModel;
  readonly tokens: Readonly<Record<Split, TokenSource>>;
  readonly config: ProjectConfig;
}

export async function freshDiscriminator(options: FreshDiscriminatorOptions): Promise<RewardReport> {
  const { generator, judge, tokens, vocabLimit, config, seed } = options;
  const { block_size } = generator.model;
  const settings = freshDiscriminatorSettings(config, { block_size, valTokens: tokens.val.length });
  // Its metrics would pass for those of the cycle's own reward model.
  const env = withinEvaluation(options.env);
  const samples = { train: memorySamples(block_size), val: memorySamples(block_size) };
  await makeRewardData({
    ...generator,
    tokens,
    vocabLimit,
    seed,
    env,
    config: settings,
    generation: config,
    append: (split, x, y) => samples[split].append(x, y),
  });
  const { report } = await trainRewardModel({
    ...generator,
    critic: judge,
    temperature: config.temperature,
    trainSamples: samples.train.samples(),
    valSamples: samples.val.samples(),
    config: settings,
    seed,
    slot: nothingKept,
    env,
  });
  return report;
}

/** Collects a reward dataset in memory. */
function memorySamples(blockSize: number) {
  const [ids, targets]: [number[], number[]] = [[], []];
  return {
    append(x: TokenIds, y: Float32Array) {
      for (const id of x) ids.push(id);
      for (const target of y) targets.push(target);
    },
    samples(): RewardSamples {
      const [x, y] = [Uint32Array.from(ids), Float32Array.from(targets)];
      return {
        numSamples: y.length / 2,
        blockSize,
        x: (first, count) => x.subarray(first * blockSize, (first + count) * blockSize),
        y: (first, count) => y.subarray(first * 2, (first + count) * 2),
      };
    },
  };
}
