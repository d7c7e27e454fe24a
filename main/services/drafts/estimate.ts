/**
 * What a run is expected to need: weights, seconds, memory, disk. Pure arithmetic on the settings, the text's size and
 * what was measured on this machine. Operations: 6 per weight and token trained (forward and backward, Kaplan et al.
 * 2020, section 2.1), 2 per weight and token written or read, and attention's own.
 */
import type { ProjectCommand } from '../../../shared/config/commands.js';
import type { Estimate } from '../../../shared/contract/values.js';
import {
  largestBatch as largestRows,
  trainingMemory,
  weightCount,
  writingMemory,
  type NetworkShape,
} from '../../engine/model/memory.js';
import { cyclePhases, phaseTokens, type PhaseTokens } from '../../engine/cycle/phase-costs.js';
import type { Speed } from './speeds.js';

interface EstimateInput {
  readonly config: ProjectCommand;
  readonly vocabSize: number;
  /** Of the whole text; null when it is not known. */
  readonly tokens: number | null;
  readonly speed: Speed;
  readonly memoryAvailable: number;
  readonly diskFree: number;
}

/** For one token, forward: the matrices, the scores over the vocabulary, attention over the context. */
export function operationsPerToken(config: ProjectCommand, vocabSize: number): number {
  const { n_layer: L, n_embd: C, block_size: T } = config;
  return 2 * (12 * L * C * C + vocabSize * C) + 4 * L * T * C;
}

function samplesOf(config: ProjectCommand, tokens: number): number {
  const chunks = (share: number) => Math.floor((tokens * share) / config.block_size) * config.samples_per_chunk;
  return (
    Math.min(chunks(config.train_split), config.reward_train_samples ?? Infinity) +
    Math.min(chunks(1 - config.train_split), config.reward_val_samples ?? Infinity)
  );
}

export function estimate(input: EstimateInput): Estimate {
  const { config, vocabSize, speed } = input;
  const tokens = input.tokens ?? 0;
  const weights = weightCount(networkShape(config, vocabSize));
  const operations = operationsPerToken(config, vocabSize);
  const secondsOf = ({ trained, read, written }: PhaseTokens) =>
    sum(
      speed.training === null ? null : ((3 * trained + read) * operations) / speed.training,
      written === 0 ? 0 : speed.writing === null ? null : (written * operations) / speed.writing,
    );
  const phases = phaseTokens(config, samplesOf(config, tokens));
  const seconds = {
    base: secondsOf(phases.base_training),
    cycle: cyclePhases.map((phase) => secondsOf(phases[phase])).reduce(sum),
  };
  const cycles = config.max_cycles;
  const rewardData = samplesOf(config, tokens) * (2 * config.block_size + 8);
  // A finished model each; while one trains, two generations of its weights and moments.
  const models = (1 + 2 * cycles) * 4 * weights + 2 * 12 * weights;
  return {
    parameters: weights,
    seconds: {
      ...seconds,
      total: sum(seconds.base, cycles === 0 ? 0 : seconds.cycle === null ? null : cycles * seconds.cycle),
    },
    memory: { peak: peakMemory(config, vocabSize), available: input.memoryAvailable },
    disk: { needed: 2 * tokens + cycles * rewardData + models, free: input.diskFree },
  };
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

const networkShape = (
  { n_layer, n_head, n_embd, block_size, bias }: ProjectCommand,
  vocab_size: number,
): NetworkShape => ({
  n_layer,
  n_head,
  n_embd,
  block_size,
  bias,
  vocab_size,
});

/** Bytes at the peak: the largest of a step of base training, one of GRPO, and writing. */
export function peakMemory(config: ProjectCommand, vocabSize: number): number {
  const shape = networkShape(config, vocabSize);
  return Math.max(
    trainingMemory(shape, config.batch_size),
    trainingMemory(shape, config.prompts_per_step * config.group_size, 2),
    writingMemory(shape, config.generation_batch_size),
  );
}

/** The largest batch whose step fits; null when the one that is set does, 0 when not even one row does. */
export function largestBatch(config: ProjectCommand, vocabSize: number, available: number): number | null {
  const largest = largestRows(
    config.batch_size,
    (batch_size) => peakMemory({ ...config, batch_size }, vocabSize),
    available,
  );
  return largest === config.batch_size ? null : largest;
}
