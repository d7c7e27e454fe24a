/**
 * Estimates peak memory before a run starts: weights, moments and gradients, activations for the backward pass, and scores over
 * the vocabulary. The factors are fitted to peaks of whole processes; tests/shared/costs/memory.measured.test.ts measures some again.
 *
 * L layers, H heads, T block, V vocabulary.
 */
import { declarationOf, parameterCount, trainedCount } from '../architectures/index.js';
import { learnsTextFromCritic, type GrpoConfig } from '../config/grpo.js';
import type { GPTConfig } from '../config/model.js';
import { WRITING_BATCH } from '../config/reward-data.js';
import { SCORING_BATCHES } from '../config/reward-model.js';
import { scoringModelOf, scoringModelsTrained } from '../config/scoring-models.js';
import { SAMPLES_WRITTEN, type Recomputation, type TrainConfig } from '../config/train.js';
import { textKept } from './mixed-text.js';
import { cachedNumbers, producedNumbers } from './network.js';
import { rewardNetworkOf, type Plan } from './phases.js';
import { precisionFor, type MachinePrecision } from './precision.js';
import { isCut } from './work.js';

const FLOAT = 4;
/** The program, TensorFlow, and XLA while it compiles a step. */
const PROGRAM = 640 * 2 ** 20;
/**
 * Copies of every weight. Trained: weight, two moments and gradient, before and after a step, or updated in place
 * (main/engine/runtime/ops.ts). Frozen next to adapters: as read and in the session; `rounded`: products take bfloat16.
 */
const COPIES = {
  assigned: { trained: 8, frozen: 2 },
  inPlace: { trained: 5.5, frozen: 2.5 },
  rounded: { trained: 5.5, frozen: 1.5 },
} as const;
/** More copies of every trained weight if several processes sum gradients: accumulated, read, sent, received, applied. */
const EXCHANGED = 8.5;
/** Graphs of GRPO for each block: held by TensorFlow, or while XLA compiles them as one. */
const POLICY_GRAPHS = { kept: 17 * 2 ** 20, compiled: 41 * 2 ** 20, cut: 0 } as const;
/** Activations per token: a multiple of what the matrices of the blocks produce, and a row of attention for each head. */
const KEPT = 34 / 9;
/** Share of the activations if they are rounded to bfloat16. */
const ROUNDED = 0.4;
/** With gradient checkpointing, the inputs of both branches of each block. */
const INPUTS_KEPT = 2;
/** Arrays of scores over the vocabulary with a backward pass (logits, probabilities, labels, gradients), and without. */
const SCORES = { learned: 5, read: 2 } as const;
/** Scores computed at once; GPT-2's architecture computes a whole batch (main/engine/model/token-losses.ts). */
export const SCORES_AT_ONCE = 2 ** 24;

/** What memory depends on besides the settings. */
export interface Circumstances {
  /** Memory is short, so more activations are recomputed. */
  readonly isShort?: boolean;
  /** Defaults to f32, which takes most. */
  readonly precision?: MachinePrecision | undefined;
}

const isPlain = ({ architecture = 'gpt2' }: GPTConfig): boolean => architecture === 'gpt2';

/** Whether products round to bfloat16; not measured for GPT-2's architecture. */
const isRounded = (model: GPTConfig, { precision = 'f32' }: Circumstances): boolean =>
  !isPlain(model) && precisionFor(precision, model) === 'bf16';

/** Scores over the vocabulary in memory at once. */
function scoresOf(model: GPTConfig, tokens: number): number {
  const { vocab_size: V } = model;
  return isPlain(model) ? tokens * V : Math.min(tokens * V, Math.max(SCORES_AT_ONCE, V));
}

/** Activations of one token, in numbers. */
function keptNumbers(model: GPTConfig, recomputation: Recomputation | undefined): number {
  const { n_layer: L, n_embd: C, block_size: T } = model;
  const produced = producedNumbers(model);
  const all = KEPT * produced + L * declarationOf(model).heads(model).queries * T;
  if (recomputation === undefined || isPlain(model)) return all;
  // The output of a branch is part of the next input.
  const products = recomputation === 'selective' ? produced - INPUTS_KEPT * L * C : 0;
  return INPUTS_KEPT * L * C + products + all / L;
}

interface Learning extends Circumstances {
  /** Networks that are only read: GRPO's reference and reward model. */
  readonly frozen?: readonly GPTConfig[];
  /** Activations to recompute in the backward pass; GPT-2's architecture recomputes none. */
  readonly recomputation?: Recomputation | undefined;
}

function activations(model: GPTConfig, rows: number, { recomputation, ...circumstances }: Learning): number {
  const tokens = rows * model.block_size;
  const kept = (isRounded(model, circumstances) ? ROUNDED : 1) * keptNumbers(model, recomputation);
  return FLOAT * (tokens * kept + SCORES.learned * scoresOf(model, tokens));
}

/** Bytes of a process that trains, without activations. Networks with adapters share their frozen weights. */
function learnerMemory(model: GPTConfig, { frozen = [], ...circumstances }: Learning): number {
  const copies = COPIES[isPlain(model) ? 'assigned' : isRounded(model, circumstances) ? 'rounded' : 'inPlace'];
  const trained = trainedCount(model);
  const own = copies.trained * trained + copies.frozen * (parameterCount(model) - trained);
  return PROGRAM + FLOAT * frozen.reduce((sum, network) => sum + trainedCount(network), own);
}

/** Peak bytes of training on batches of `rows` sequences. */
export const trainingMemory = (model: GPTConfig, rows: number, learning: Learning = {}): number =>
  learnerMemory(model, learning) + activations(model, rows, learning);

/** Activations that base training recomputes. @param isShort whether the alternative needs more memory than there is */
export const recomputationOf = (isShort: boolean): Recomputation => (isShort ? 'full' : 'selective');

/** Bytes of writing `rows` sequences, besides the weights: transposed weights, and keys and values twice. */
function writtenWith(model: GPTConfig, rows: number): number {
  const { block_size: T, vocab_size: V } = model;
  return FLOAT * (parameterCount(model) + rows * (2 * T * cachedNumbers(model) + 4 * V));
}

/** Peak bytes of writing `rows` sequences at once. */
export const writingMemory = (model: GPTConfig, rows: number): number =>
  PROGRAM + FLOAT * parameterCount(model) + writtenWith(model, rows);

/** Peak bytes of scoring the tokens of `rows` passages. */
export const scoringMemory = (model: GPTConfig, rows: number): number =>
  PROGRAM + FLOAT * (2 * parameterCount(model) + SCORES.read * scoresOf(model, rows * model.block_size));

/** A batch that memory depends on: the setting of its rows, its rows, and the bytes for any number of rows. */
export interface Batch {
  readonly field: 'batch_size' | 'prompts_per_step' | 'block_size';
  readonly rows: number;
  bytesFor(rows: number, circumstances: Circumstances): number;
}

/** More bytes of a process in a team. */
const exchangeMemory = (model: GPTConfig, together: unknown): number =>
  together ? FLOAT * EXCHANGED * trainedCount(model) : 0;

/** Training of a language model. Memory of its samples is not given back before the next step. */
export const trainingBatch = (
  model: GPTConfig,
  config: Pick<TrainConfig, 'batch_size'> & { readonly samples?: number },
  together?: object,
): Batch => ({
  field: 'batch_size',
  rows: config.batch_size,
  bytesFor(rows, { isShort = false, precision }) {
    const { samples = 0 } = config;
    const alone = trainingMemory(model, rows, { recomputation: recomputationOf(isShort), precision });
    return alone + exchangeMemory(model, together) + (samples > 0 ? writtenWith(model, samples) : 0);
  },
});

/** Writing of reward data. */
export const writingBatch = (model: GPTConfig): Batch => ({
  field: 'block_size',
  rows: model.block_size,
  bytesFor: (block_size) => writingMemory({ ...model, block_size }, WRITING_BATCH),
});

/** GRPO with its reference, reward model and text mix. */
export const grpoBatch = (model: GPTConfig, reward: GPTConfig, config: GrpoConfig, together?: object): Batch => ({
  field: 'prompts_per_step',
  rows: config.prompts_per_step,
  bytesFor(prompts, circumstances) {
    const [passages, mixed] = [prompts * config.group_size, config.ptx_coef > 0 ? config.ptx_batch_size : 0];
    const frozen = [model, reward];
    const reader = { blockSize: model.block_size, width: reward.n_embd };
    const readText = learnsTextFromCritic(config) ? textKept(config.grpo_max_steps * mixed, reader) : 0;
    const more = exchangeMemory(model, together) + readText;
    if (isPlain(model)) return trainingMemory(model, passages + mixed, { frozen }) + more;
    // Completions and mix are learned from in turn. Writing copies all weights before that, and freed memory is not all
    // reused: the sum of both was measured, not the maximum.
    const rows = Math.max(passages, mixed);
    const learning = activations(model, rows, { ...circumstances, recomputation: 'selective' });
    const teachers = config.reward_shape === 'expected_log_ratio' ? scoresOf(model, rows * model.block_size) : 0;
    const form = isRounded(model, circumstances) ? 'kept' : isCut(model) ? 'cut' : 'compiled';
    const graphs = model.n_layer * POLICY_GRAPHS[form] + FLOAT * SCORES.learned * teachers;
    return learnerMemory(model, { ...circumstances, frozen }) + learning + graphs + writtenWith(model, passages) + more;
  },
});

/** Scoring by a critic or judge: the number of passages is fixed, their length is not. */
const scoringBatch = (model: GPTConfig): Batch => ({
  field: 'block_size',
  rows: model.block_size,
  bytesFor: (block_size) => scoringMemory({ ...model, block_size }, Math.max(...SCORING_BATCHES)),
});

/** The batches of a whole project. @param together the team, if several processes work on it */
export function batchesOf(plan: Pick<Plan, 'config' | 'model'>, together?: object): readonly Batch[] {
  const { config, model } = plan;
  const scoring = scoringModelsTrained(config).map((kind) => scoringModelOf(kind, config, model));
  const generator = { model, train: { ...config, samples: SAMPLES_WRITTEN } };
  const trained = [generator, ...scoring].map((one) => trainingBatch(one.model, one.train, together));
  const batches = [...trained, ...scoring.map((one) => scoringBatch(one.model))];
  if (config.max_cycles === 0) return batches;
  return [...batches, writingBatch(model), grpoBatch(model, rewardNetworkOf(plan), config, together)];
}

/** Peak bytes of a whole project. */
export const peakMemory = (plan: Pick<Plan, 'config' | 'model'>, circumstances: Circumstances): number =>
  Math.max(...batchesOf(plan).map(({ rows, bytesFor }) => bytesFor(rows, circumstances)));

/** The largest number of rows up to `wanted` that fits, by bisection; 0 if not even one row does. */
export function largestBatch(wanted: number, bytesFor: (rows: number) => number, available: number): number {
  if (bytesFor(wanted) <= available) return wanted;
  let [low, high] = [0, wanted];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (bytesFor(middle) <= available) low = middle;
    else high = middle;
  }
  return low;
}
