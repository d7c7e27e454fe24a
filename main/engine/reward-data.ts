/**
 * Data for the reward model (seed 000, part 3): passages whose first K tokens are natural and whose rest the generator
 * wrote, K uniform in [1, N − 1]; the target is [K/N, (N − K)/N]. Each split's samples come from that split's text
 * only, so that nothing leaks. A sample is a function of (weights, settings, seed, its index).
 */
import type { GenerationConfig } from '../../shared/config/generation.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { RewardDataConfig } from '../../shared/config/reward-data.js';
import { UserError } from '../../shared/errors.js';
import { createWriter, joined, type Passage } from './generate.js';
import { createParameters } from './model.js';
import { createProgress } from './progress.js';
import { streams, uniformInt } from './rng.js';
import type { Environment, NamedArrays, TokenSource } from './types.js';

/** Validation samples take their noise from this index on, so that the two splits never share any. */
const VALIDATION_INDEX = 2 ** 40;

export type Split = 'train' | 'val';

export interface RewardDataOptions {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly tokens: Readonly<Record<Split, TokenSource>>;
  readonly config: RewardDataConfig;
  readonly generation: GenerationConfig;
  readonly seed: number;
  readonly vocabLimit: number;
  /** Takes finished samples, training first, in order: x (n, block_size) ids, y (n, 2) targets. */
  append(split: Split, x: Uint16Array, y: Float32Array): void | Promise<void>;
  readonly env: Environment;
}

/** Which stretch of text sample `index` is made from and where it crosses over. */
export interface SamplePlan {
  readonly index: number;
  readonly start: number;
  /** K: how many tokens are natural, in [1, N − 1]. */
  readonly crossover: number;
}

/** Lists the samples of a split: every chunk of one block, or chunks spread evenly when there is a limit. */
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
      message: `The ${split === 'train' ? 'training' : 'held-out'} text has ${length} tokens, less than one chunk of ${blockSize}.`,
      hint: 'Use a longer text, a smaller block_size, or another train_split.',
      field: 'block_size',
    });
  }
  const samples = Math.min(chunks * samplesPerChunk, limit ?? Infinity);
  const used = Math.ceil(samples / samplesPerChunk);
  const offset = split === 'val' ? VALIDATION_INDEX : 0;
  return Array.from({ length: samples }, (_, sample) => {
    const chunk = Math.floor((Math.floor(sample / samplesPerChunk) * chunks) / used);
    const index = offset + sample;
    const crossover = 1 + uniformInt(seed, streams.crossover, index, 0, blockSize - 1);
    return { index, start: chunk * blockSize, crossover };
  });
}

/** Makes the samples of both splits; returns how many of each. */
export async function makeRewardData(options: RewardDataOptions): Promise<Record<Split, number>> {
  const { model, weights, tokens, config, generation, seed, vocabLimit, append, env } = options;
  const N = model.block_size;
  const B = config.generation_batch_size;
  const planOf = (split: Split) =>
    planSamples({
      length: tokens[split].length,
      blockSize: N,
      samplesPerChunk: config.samples_per_chunk,
      limit: split === 'train' ? config.reward_train_samples : config.reward_val_samples,
      split,
      seed,
    });
  const plans = { train: planOf('train'), val: planOf('val') };
  const total = plans.train.length + plans.val.length;
  const session = env.runtime.createSession();
  try {
    const rule = { temperature: generation.temperature, topK: generation.top_k, vocabLimit };
    const writer = createWriter(session, model, createParameters(session, weights), B, rule, env);
    const noise = { seed, stream: streams.rewardGeneration };
    const progress = createProgress(env, 'reward_data', 'samples', total);
    let done = 0;
    for (const split of ['train', 'val'] as const) {
      for (let first = 0; first < plans[split].length; first += B) {
        const batch = plans[split].slice(first, first + B);
        const passages: Passage[] = batch.map(({ index, start, crossover }) => ({
          prefix: tokens[split].read(start, crossover).slice(),
          index,
        }));
        const written = env.stop.requested ? null : await writer.complete(passages, noise);
        if (!written) throw stoppedWriting(done);
        const y = new Float32Array(batch.length * 2);
        batch.forEach(({ crossover }, row) => {
          y.set([crossover / N, (N - crossover) / N], row * 2);
        });
        await append(split, joined(written), y);
        done += batch.length;
        progress.update(done, split === 'train' ? 'training samples' : 'validation samples');
      }
    }
    return { train: plans.train.length, val: plans.val.length };
  } finally {
    session.dispose();
  }
}

function stoppedWriting(samples: number): UserError {
  return new UserError({
    code: 'stopped',
    message: `Stopped after ${samples} samples of reward data; unfinished reward data is not kept.`,
    hint: 'Run the same command again: the same samples are written from the beginning.',
  });
}
