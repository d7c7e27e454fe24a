/**
 * Data for the reward model (specification 3): passages whose first K tokens are natural and whose rest the generator
 * wrote, K uniform in [1, N − 1]; the target is [K/N, (N − K)/N]. Each split's samples come from that split's text
 * only, so that nothing leaks. A sample is a function of (weights, settings, seed, its index).
 */
import { localized } from '../../../shared/messages/message.js';
import type { GenerationConfig } from '../../../shared/config/generation.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { WRITING_BATCH, type RewardDataConfig } from '../../../shared/config/reward-data.js';
import { UserError } from '../../../shared/errors.js';
import { applyLiveSettings } from '../control.js';
import { createWriter, joined, type Passage } from '../generate/generate.js';
import { createParameters } from '../model/model.js';
import { createSureWriter } from '../generate/passages.js';
import { createProgress } from '../train/progress.js';
import { streams, uniformInt } from '../rng.js';
import type { Environment, NamedArrays, TokenIds, TokenSource } from '../types.js';

/** Validation samples take their noise from this index on, so that the two splits never share any. */
const VALIDATION_INDEX = 2 ** 40;

export type Split = 'train' | 'val';

/** How far a split is. */
export interface Settled {
  /** Samples of the plan that are decided: written or left out. */
  readonly planned: number;
  /** Those of them that could not be written. */
  readonly skipped: number;
}

export const nothingSettled: Readonly<Record<Split, Settled>> = {
  train: { planned: 0, skipped: 0 },
  val: { planned: 0, skipped: 0 },
};

interface RewardDataCounts {
  readonly train: number;
  readonly val: number;
  /** Samples of both splits that could not be written. */
  readonly skipped: number;
}

/** Below this share of samples that cannot be written the rest is worth having. */
const MAX_SKIPPED_SHARE = 0.5;

interface RewardDataOptions {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly tokens: Readonly<Record<Split, TokenSource>>;
  readonly config: RewardDataConfig;
  readonly generation: GenerationConfig;
  readonly seed: number;
  readonly vocabLimit: number;
  /** What an earlier run has settled already; its samples are not made again. */
  readonly from?: Readonly<Record<Split, Settled>>;
  /**
   * Takes finished samples, training first, in order: x (n, block_size) ids, y (n, 2) targets, and how far the split is
   * with them.
   */
  append(split: Split, x: TokenIds, y: Float32Array, settled: Settled): void | Promise<void>;
  readonly env: Environment;
}

/** Which stretch of text sample `index` is made from and where it crosses over. */
interface SamplePlan {
  readonly index: number;
  readonly start: number;
  /** K: how many tokens are natural, in [1, N − 1]. */
  readonly crossover: number;
}

/** Lists the samples of a split: so many of every chunk of one block, or, when there is a limit, spread evenly over the chunks. */
export function planSamples(options: {
  readonly length: number;
  readonly blockSize: number;
  readonly samplesPerChunk: number;
  readonly limit: number | null;
  readonly split: Split;
  readonly seed: number;
}): SamplePlan[] {
  const { length, blockSize, samplesPerChunk, limit, split, seed } = options;
  const chunks = Math.floor(length / blockSize);
  if (chunks < 1) {
    throw new UserError({
      code: 'text_too_short',
      message: localized('reward.split_select_train_other_text', { split, length, blockSize }),
      hint: localized('reward.use_longer_text_smaller_block'),
      field: 'block_size',
    });
  }
  const samples = Math.min(chunks * samplesPerChunk, limit ?? Infinity);
  const offset = split === 'val' ? VALIDATION_INDEX : 0;
  return Array.from({ length: samples }, (_, sample) => {
    const chunk = Math.floor((sample * chunks) / samples);
    const index = offset + sample;
    const crossover = 1 + uniformInt(seed, streams.crossover, index, 0, blockSize - 1);
    return { index, start: chunk * blockSize, crossover };
  });
}

/** The samples of both splits that the settings ask for. */
export function planRewardData(
  options: Pick<RewardDataOptions, 'model' | 'tokens' | 'config' | 'seed'>,
): Record<Split, SamplePlan[]> {
  const { model, tokens, config, seed } = options;
  const planOf = (split: Split) =>
    planSamples({
      length: tokens[split].length,
      blockSize: model.block_size,
      samplesPerChunk: config.samples_per_chunk,
      limit: split === 'train' ? config.reward_train_samples : config.reward_val_samples,
      split,
      seed,
    });
  return { train: planOf('train'), val: planOf('val') };
}

/**
 * Makes the samples of both splits; returns how many of each.
 * @throws UserError `stopped`; `diverged` when most of what the model writes means nothing
 */
export async function makeRewardData(options: RewardDataOptions): Promise<RewardDataCounts> {
  const { model, weights, tokens, config, generation, seed, vocabLimit, append, env } = options;
  const { from = nothingSettled } = options;
  const N = model.block_size;
  const B = WRITING_BATCH;
  const plans = planRewardData(options);
  const total = plans.train.length + plans.val.length;
  const session = env.runtime.createSession();
  try {
    const rule = { temperature: generation.temperature, topK: generation.top_k, vocabLimit };
    const plain = createWriter(session, model, createParameters(session, weights), B, rule, env);
    const writer = createSureWriter(plain, vocabLimit);
    const noise = { seed, stream: streams.rewardGeneration };
    const progress = createProgress(env, 'reward_data', 'samples', total);
    const skipped = { train: from.train.skipped, val: from.val.skipped };
    let done = from.train.planned + from.val.planned;
    for (const split of ['train', 'val'] as const) {
      for (let first = from[split].planned; first < plans[split].length; first += B) {
        // Asked to end early, each split keeps what it has, one batch at least.
        if (applyLiveSettings(env, config, done).skip && first > 0) {
          plans[split].length = first;
          break;
        }
        const batch = plans[split].slice(first, first + B);
        const passages: Passage[] = batch.map(({ index, start, crossover }) => ({
          prefix: tokens[split].read(start, crossover).slice(),
          index,
        }));
        const written = env.stop.requested ? null : await writer.complete(passages, noise);
        if (!written) throw stoppedWriting(done);
        const kept = written.flatMap((passage, row) => {
          const crossover = batch[row]?.crossover;
          return passage && crossover !== undefined ? [{ passage, crossover }] : [];
        });
        const y = new Float32Array(kept.length * 2);
        kept.forEach(({ crossover }, row) => y.set([crossover / N, (N - crossover) / N], row * 2));
        done += batch.length;
        skipped[split] += batch.length - kept.length;
        if (skipped.train + skipped.val > MAX_SKIPPED_SHARE * done) throw mostlyNonsense(skipped, done);
        const passagesKept = kept.map(({ passage }) => passage);
        const settled = { planned: first + batch.length, skipped: skipped[split] };
        await append(split, joined(passagesKept), y, settled);
        progress.update(done, split === 'train' ? 'training samples' : 'validation samples');
      }
    }
    const left = skipped.train + skipped.val;
    if (left > 0) {
      const message = `${left} of ${total} samples were left out: on their text the model’s numbers are not finite.`;
      env.emit({ event: 'notice', level: 'warning', code: 'skipped_samples', message });
    }
    return {
      train: plans.train.length - skipped.train,
      val: plans.val.length - skipped.val,
      skipped: left,
    };
  } finally {
    session.dispose();
  }
}

function stoppedWriting(samples: number): UserError {
  return new UserError({
    code: 'stopped',
    message: localized('reward.stopped_after_samples_reward_data', { samples }),
    hint: localized('reward.run_same_command_again_resumes'),
  });
}

function mostlyNonsense(skipped: Readonly<Record<Split, number>>, done: number): UserError {
  return new UserError({
    code: 'diverged',
    message: localized('reward.generation_failed_samples_models_numbers', { train: skipped.train + skipped.val, done }),
    hint: localized('reward.model_damaged_training_went_wrong'),
    field: 'model_path',
  });
}
