/**
 * Has the writing become harder to tell from nature, or only better at pleasing one reward model? A discriminator that
 * GRPO has never seen is fitted to new passages of a generator: the judge in the critic's place. Its R² says how much of
 * natural and generated it can tell apart; for a better writer it is lower.
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
  // It would be taken for the cycle's own reward model, before there is one.
  const env = withinEvaluation(options.env);
  const kept = { train: memorySamples(block_size), val: memorySamples(block_size) };
  await makeRewardData({
    ...generator,
    tokens,
    vocabLimit,
    seed,
    env,
    config: settings,
    generation: config,
    append: (split, x, y) => kept[split].append(x, y),
  });
  const { report } = await trainRewardModel({
    ...generator,
    critic: judge,
    temperature: config.temperature,
    trainSamples: kept.train.samples(),
    valSamples: kept.val.samples(),
    config: settings,
    seed,
    slot: nothingKept,
    env,
  });
  return report;
}

/** A reward dataset that lives no longer than what is learned from it. */
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
