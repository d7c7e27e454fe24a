/**
 * Data for the reward model (specification 3): passages with K natural tokens and generated ones after them, K uniform in
 * [1, N − 1]; the target is [K/N, (N − K)/N]. Each split's samples come from that split's text only, so that nothing leaks. A sample
 * is a function of (weights, settings, seed, its index).
 */
import { count, localized } from '../../../shared/messages/message.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { WRITING_BATCH, type RewardDataConfig } from '../../../shared/config/reward-data.js';
import { UserError } from '../../../shared/errors.js';
import { applyLiveSettings, stopError } from '../control.js';
import { createWriter, joined, type Passage } from '../generate/generate.js';
import { createParameters } from '../model/model.js';
import { type Drawing, samplingRule } from '../model/sampling-rule.js';
import { createSureWriter } from '../generate/passages.js';
import { createProgress } from '../train/progress.js';
import { streams, uniformInt } from '../rng.js';
import { withSession } from '../runtime/session.js';
import type { Environment, NamedArrays, TokenIds, TokenSource } from '../types.js';

/** Noise of validation samples starts at this index, so that the splits never share any. */
const VALIDATION_INDEX = 2 ** 40;

export type Split = 'train' | 'val';

/** Progress of a split. */
export interface Settled {
  /** Samples of the plan that were written or skipped. */
  readonly planned: number;
  /** Samples that could not be written. */
  readonly skipped: number;
}

const unsettled: Settled = { planned: 0, skipped: 0 };

/** A larger share of samples that cannot be written is an error. */
const MAX_SKIPPED_SHARE = 0.5;

interface RewardDataOptions extends Drawing {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly tokens: Readonly<Record<Split, TokenSource>>;
  readonly config: RewardDataConfig;
  readonly seed: number;
  /** Progress of an earlier run, to resume from. */
  readonly from?: Readonly<Record<Split, Settled>>;
  /** Stores samples in order, training first: x (n, block_size) ids, y (n, 2) targets, and the split's progress. */
  append(split: Split, x: TokenIds, y: Float32Array, settled: Settled): void | Promise<void>;
  readonly env: Environment;
}

interface SamplePlan {
  readonly index: number;
  /** Place of its natural tokens in the text. */
  readonly start: number;
  /** K: number of natural tokens, in [1, N − 1]. */
  readonly crossover: number;
}

/** Lists the samples of a split: several of every chunk of one block, or, with a limit, spread evenly over the chunks. */
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

/** Lists the samples of both splits. */
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
 * Makes the samples of both splits.
 * @returns the number of samples of each split, and of both that were skipped
 * @throws UserError `stopped`; `diverged` if most samples cannot be written
 */
export async function makeRewardData(options: RewardDataOptions) {
  const { model, weights, tokens, config, seed, vocabLimit, append, env } = options;
  const { from = { train: unsettled, val: unsettled } } = options;
  const N = model.block_size;
  const B = WRITING_BATCH;
  const plans = planRewardData(options);
  const total = plans.train.length + plans.val.length;
  return withSession(env.runtime, async (session) => {
    const rule = samplingRule(options);
    const plain = createWriter(session, model, createParameters(session, weights), B, rule, env);
    const writer = createSureWriter(plain, vocabLimit);
    const noise = { seed, stream: streams.rewardGeneration };
    const progress = createProgress(env, 'reward_data', 'samples', total);
    const skipped = { train: from.train.skipped, val: from.val.skipped };
    let done = from.train.planned + from.val.planned;
    for (const split of ['train', 'val'] as const) {
      for (let first = from[split].planned; first < plans[split].length; first += B) {
        // If the user ends the phase early, each split keeps its samples, at least one batch.
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
        const whole = written.flatMap((passage, row) => {
          const crossover = batch[row]?.crossover;
          return passage && crossover !== undefined ? [{ passage, crossover }] : [];
        });
        const y = Float32Array.from(whole.flatMap(({ crossover }) => [crossover / N, (N - crossover) / N]));
        done += batch.length;
        skipped[split] += batch.length - whole.length;
        if (skipped.train + skipped.val > MAX_SKIPPED_SHARE * done) throw mostlySkipped(skipped, done);
        const settled = { planned: first + batch.length, skipped: skipped[split] };
        await append(split, joined(whole.map(({ passage }) => passage)), y, settled);
        progress.update(done, localized('reward_data.progress', { split }));
      }
    }
    const allSkipped = skipped.train + skipped.val;
    if (allSkipped > 0) {
      const message = localized('reward_data.skipped', { skipped: allSkipped, total: count(total) });
      env.emit({ event: 'notice', level: 'warning', code: 'skipped_samples', message });
    }
    return {
      train: plans.train.length - skipped.train,
      val: plans.val.length - skipped.val,
      skipped: allSkipped,
    };
  });
}

const stoppedWriting = (samples: number): UserError =>
  stopError(
    localized('reward.stopped_after_samples_reward_data', { samples }),
    localized('reward.run_same_command_again_resumes'),
  );

const mostlySkipped = ({ train, val }: Readonly<Record<Split, number>>, done: number): UserError =>
  new UserError({
    code: 'diverged',
    message: localized('reward.generation_failed_samples_models_numbers', { skipped: train + val, done }),
    hint: localized('reward.model_damaged_training_went_wrong'),
    field: 'model_path',
  });
