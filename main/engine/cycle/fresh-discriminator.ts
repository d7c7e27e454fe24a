/**
 * Has the writing become harder to tell from nature, or only better at pleasing one reward model? A discriminator that
 * GRPO has never seen is trained afresh on new passages of a generator: the judge's evidence with a learned head (the
 * `hybrid` of reward-scorer.ts, with the judge in the critic's place). Its R² says how much of natural and generated it
 * can tell apart; for a better writer it is lower.
 */
import type { RewardReport } from '../../../shared/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { makeRewardData, type Split } from '../reward/reward-data.js';
import { trainRewardModel, type LanguageModel } from '../reward/reward.js';
import type { CheckpointSlot, RewardSamples, TokenSource } from '../types.js';
import type { IndependentJudge } from './judgement.js';

interface FreshDiscriminatorOptions extends IndependentJudge {
  readonly generator: LanguageModel;
  readonly tokens: Readonly<Record<Split, TokenSource>>;
  readonly config: ProjectConfig;
}

/**
 * The fall of R² from one generator to the next is a few hundredths, so the interval of each must be about ±0.02. The
 * held-out text is used several times over for that: what is written after it differs each time.
 */
const TRAIN_SAMPLES = 2000;
const VAL_SAMPLES = 4000;
/** The head is small and begins at the judge's evidence; it is stopped where the validation error no longer falls. */
const MAX_STEPS = 300;
const LEARNING = { reward_eval_interval: 50, reward_patience: 2, reward_learning_rate: 1e-3 };

export async function freshDiscriminator(options: FreshDiscriminatorOptions): Promise<RewardReport> {
  const { generator, judge, tokens, vocabLimit, config, seed, env } = options;
  // No more than twice the reward data’s own, so that small projects stay quick.
  const reward_train_samples = Math.min(config.reward_train_samples ?? TRAIN_SAMPLES, TRAIN_SAMPLES);
  const reward_val_samples = Math.min(2 * (config.reward_val_samples ?? VAL_SAMPLES), VAL_SAMPLES);
  const chunks = Math.max(1, Math.floor(tokens.val.length / generator.model.block_size));
  const samples_per_chunk = Math.ceil(reward_val_samples / chunks);
  const limits = { reward_train_samples, reward_val_samples, samples_per_chunk };
  const kept = { train: memorySamples(generator.model.block_size), val: memorySamples(generator.model.block_size) };
  await makeRewardData({
    ...generator,
    tokens,
    vocabLimit,
    seed,
    env,
    config: { ...config, ...limits },
    generation: config,
    append: (split, x, y) => kept[split].append(x, y),
  });
  const { report } = await trainRewardModel({
    ...generator,
    critic: judge,
    temperature: config.temperature,
    trainSamples: kept.train.samples(),
    valSamples: kept.val.samples(),
    config: {
      ...config,
      ...LEARNING,
      reward_kind: 'hybrid',
      reward_unfreeze: 0,
      reward_max_iters: Math.min(config.reward_max_iters, MAX_STEPS),
    },
    seed,
    slot: nothingKept,
    env,
  });
  return report;
}

/** It is over in a minute or two: when it is stopped, it begins again. */
const nothingKept: CheckpointSlot = { latest: async () => null, save: async () => undefined };

/** A reward dataset that lives no longer than what is learned from it. */
function memorySamples(blockSize: number) {
  const [ids, targets]: [number[], number[]] = [[], []];
  return {
    append(x: Uint16Array, y: Float32Array) {
      for (const id of x) ids.push(id);
      for (const target of y) targets.push(target);
    },
    samples(): RewardSamples {
      const [x, y] = [Uint16Array.from(ids), Float32Array.from(targets)];
      return {
        numSamples: y.length / 2,
        blockSize,
        x: (first, count) => x.subarray(first * blockSize, (first + count) * blockSize),
        y: (first, count) => y.subarray(first * 2, (first + count) * 2),
      };
    },
  };
}
