/**
 * How much memory a run takes at its peak, told before it begins. The parts are what any trainer holds (weights, moments and
 * gradients, what the backward pass keeps, the scores); their factors were fitted to the peaks of whole processes, because
 * the compiler decides what is kept and what is made anew. tests/shared/costs/memory.test.ts measures some again.
 *
 * L layers, H heads, T block, V vocabulary.
 */
import { declarationOf, parameterCount, trainedCount } from '../architectures/index.js';
import type { GPTConfig } from '../config/model.js';
import { learnsTextFromCritic, type GrpoConfig } from '../config/grpo.js';
import type { Recomputation, TrainConfig } from '../config/train.js';
import { SCORING_BATCHES } from '../config/reward-model.js';
import { scoringModelOf, scoringModelsTrained, type ScoringModel } from '../config/scoring-models.js';
import { textKept } from './mixed-text.js';
import { cachedNumbers, producedNumbers } from './network.js';
import { precisionFor, type MachinePrecision } from './precision.js';
import { rewardNetworkOf, type Plan } from './phases.js';
import { isCut } from './work.js';

const FLOAT = 4;
/** The program, TensorFlow, and what XLA takes to compile a step. */
const PROGRAM = 640 * 2 ** 20;
/**
 * Copies of every weight. Trained: itself, two moments and the gradient, each before and after the step; or updated where
 * they are (main/engine/runtime/large.ts), as the run began, and rounded to bfloat16. Frozen beside adapters: as it was read,
 * in the session, and rounded; where products take bfloat16 (`rounded`), in the session as they are multiplied.
 */
const COPIES = {
  assigned: { trained: 8, frozen: 2 },
  inPlace: { trained: 5.5, frozen: 2.5 },
  rounded: { trained: 5.5, frozen: 1.5 },
} as const;
/**
 * More copies of every trained weight where several processes work on a run: the sum of gradients, as it is added up, read, sent,
 * received and learned from. Where weights are averaged after several steps (DiLoCo): those with which a round began and the outer
 * momentum, each before and after, and the same of the weights and both moments, three times as much as gradients.
 */
const EXCHANGED = { sums: 8.5, averages: 23 } as const;
/** More copies of every trained weight where matrices are made orthogonal (Muon), which has one moment instead of two. */
const ORTHOGONAL = 3;
/**
 * What the graphs of GRPO take for each block, of which a step goes back through two, and besides which passages are written,
 * scored and held-out text is read: as TensorFlow keeps them, or while XLA compiles them as one. Of a training step it is in PROGRAM.
 */
const POLICY_GRAPHS = { kept: 17 * 2 ** 20, compiled: 41 * 2 ** 20, cut: 0 } as const;
/** Numbers kept for each token, besides a row of attention for each head: so many for each that the blocks' matrices make. */
const KEPT = 34 / 9;
/** Of what the backward pass keeps, where it is rounded to bfloat16. */
const ROUNDED = 0.4;
/** With gradient checkpointing: for each width of a block, what goes into its two branches. */
const INPUTS_KEPT = 2;
/** Arrays of scores over the vocabulary: logits, probabilities, the labels' places, and gradients. */
const SCORES_KEPT = 5;
/** Of these without a backward pass. */
const SCORES_READ = 2;
/** So many scores are made at once; GPT-2's architecture makes all of a batch (main/engine/model/token-losses.ts). */
export const SCORES_AT_ONCE = 2 ** 24;

const isPlain = ({ architecture = 'gpt2' }: GPTConfig): boolean => architecture === 'gpt2';

/** What memory depends on besides the settings. */
export interface Circumstances {
  /** Memory is short, so that more is computed again. */
  readonly isShort?: boolean;
  /** Left out: f32, which takes the most. */
  readonly precision?: MachinePrecision | undefined;
}

/** Whether products take elements rounded to bfloat16; GPT-2's architecture was not measured. */
const isRounded = (model: GPTConfig, { precision = 'f32' }: Circumstances): boolean =>
  !isPlain(model) && precisionFor(precision, model) === 'bf16';

/** Scores over the vocabulary that are in memory at once, of so many tokens. */
function scoresOf(model: GPTConfig, tokens: number): number {
  const { vocab_size: V } = model;
  return isPlain(model) ? tokens * V : Math.min(tokens * V, Math.max(SCORES_AT_ONCE, V));
}

/** Weights that networks with adapters share with the one that is trained. */
const sharedCount = (network: GPTConfig): number => parameterCount(network) - trainedCount(network);

/** Numbers that the backward pass keeps for each token of a whole block, and of one block all that it makes. */
function keptNumbers(model: GPTConfig, recomputation: Recomputation | undefined): number {
  const { n_layer: L, n_embd: C, block_size: T } = model;
  const { queries } = declarationOf(model).heads(model);
  const produced = producedNumbers(model);
  const all = KEPT * produced + L * queries * T;
  if (recomputation === undefined || isPlain(model)) return all;
  // The results of a branch's last layer, as wide as its input, are not kept: they are in the next input.
  const products = recomputation === 'selective' ? produced - INPUTS_KEPT * L * C : 0;
  return INPUTS_KEPT * L * C + products + all / L;
}

interface Learning extends Circumstances {
  /** Other networks that are only read: GRPO's reference and reward model. */
  readonly frozen?: readonly GPTConfig[];
  /** What the backward pass computes again; GPT-2's architecture keeps everything. */
  readonly recomputation?: Recomputation | undefined;
}

/** Bytes that the backward pass keeps for `rows` sequences of a whole block. */
const activations = (model: GPTConfig, rows: number, { recomputation, ...circumstances }: Learning): number => {
  const tokens = rows * model.block_size;
  const kept = (isRounded(model, circumstances) ? ROUNDED : 1) * keptNumbers(model, recomputation);
  return FLOAT * (tokens * kept + SCORES_KEPT * scoresOf(model, tokens));
};

/** Bytes of a process that trains, but for what the backward pass keeps. */
function learnerMemory(model: GPTConfig, { frozen = [], ...circumstances }: Learning): number {
  const copies = COPIES[isPlain(model) ? 'assigned' : isRounded(model, circumstances) ? 'rounded' : 'inPlace'];
  const trained = trainedCount(model);
  const weights = frozen.reduce(
    (sum, network) => sum + parameterCount(network) - sharedCount(network),
    copies.trained * trained + copies.frozen * (parameterCount(model) - trained),
  );
  return PROGRAM + FLOAT * weights;
}

/** Peak bytes of a process that trains on batches of `rows` sequences. */
export const trainingMemory = (model: GPTConfig, rows: number, learning: Learning = {}): number =>
  learnerMemory(model, learning) + activations(model, rows, learning);

/** What the backward pass of base training computes again. @param isShort whether all else takes more memory than there is */
export function recomputationOf(
  { gradient_checkpointing: chosen }: Pick<TrainConfig, 'gradient_checkpointing'>,
  isShort: boolean,
): Recomputation | undefined {
  if (chosen === 'off') return undefined;
  return chosen === 'full' || (chosen === 'auto' && isShort) ? 'full' : 'selective';
}

/** Bytes beside the weights while `rows` sequences are written: the weights turned around, and keys and values twice. */
function writtenWith(model: GPTConfig, rows: number): number {
  const { block_size: T, vocab_size: V } = model;
  return FLOAT * (parameterCount(model) + rows * (2 * T * cachedNumbers(model) + 4 * V));
}

/** Peak bytes of a process that writes `rows` sequences at once. */
export const writingMemory = (model: GPTConfig, rows: number): number =>
  PROGRAM + FLOAT * parameterCount(model) + writtenWith(model, rows);

/** Peak bytes of a process that asks a network how likely the tokens of `rows` passages are. */
export function scoringMemory(model: GPTConfig, rows: number): number {
  return PROGRAM + FLOAT * (2 * parameterCount(model) + SCORES_READ * scoresOf(model, rows * model.block_size));
}

/** Several processes that work on a run: how many steps each takes by itself before weights are averaged; 1: gradients are summed. */
interface Together {
  readonly every: number;
}

/** Bytes that a rank takes beside what it takes alone. @param together left out: it is alone */
const exchangeMemory = (model: GPTConfig, together: Together | undefined): number =>
  together ? FLOAT * trainedCount(model) * EXCHANGED[together.every > 1 ? 'averages' : 'sums'] : 0;

/** A batch of which the memory depends: the setting that says how many rows, how many, and the bytes of any number. */
export interface Batch {
  readonly field: 'batch_size' | 'generation_batch_size' | 'prompts_per_step' | 'block_size';
  readonly rows: number;
  bytesFor(rows: number, circumstances: Circumstances): number;
}

/** Bytes that an optimizer takes beside what AdamW does. */
const optimizerMemory = (model: GPTConfig, optimizer: TrainConfig['optimizer'] = 'adamw'): number =>
  optimizer === 'muon' ? FLOAT * ORTHOGONAL * trainedCount(model) : 0;

/** Training a language model, which writes samples meanwhile if it is asked to: what that takes is not given back before the next step. */
export const trainingBatch = (
  model: GPTConfig,
  config: Pick<TrainConfig, 'batch_size' | 'gradient_checkpointing'> &
    Partial<Pick<TrainConfig, 'optimizer' | 'eval_samples'>>,
  together?: Together,
): Batch => ({
  field: 'batch_size',
  rows: config.batch_size,
  bytesFor(rows, { isShort = false, precision }) {
    const { optimizer, eval_samples: samples = 0 } = config;
    const recomputation = recomputationOf(config, isShort);
    const alone = trainingMemory(model, rows, { recomputation, precision }) + optimizerMemory(model, optimizer);
    return alone + exchangeMemory(model, together) + (samples > 0 ? writtenWith(model, samples) : 0);
  },
});

/** Writing reward data. */
export const writingBatch = (model: GPTConfig, config: { readonly generation_batch_size: number }): Batch => ({
  field: 'generation_batch_size',
  rows: config.generation_batch_size,
  bytesFor: (rows) => writingMemory(model, rows),
});

/** GRPO, beside a reference and a reward model; ordinary text is learned from in the same step. */
export const grpoBatch = (model: GPTConfig, reward: GPTConfig, config: GrpoConfig, together?: Together): Batch => ({
  field: 'prompts_per_step',
  rows: config.prompts_per_step,
  bytesFor(prompts, circumstances) {
    const { group_size, ptx_coef, ptx_batch_size, reward_shape } = config;
    const [passages, mixed] = [prompts * group_size, ptx_coef > 0 ? ptx_batch_size : 0];
    // Its gradients are summed at every step.
    const exchanged = exchangeMemory(model, together && { every: 1 });
    const frozen = [model, reward];
    const reader = { blockSize: model.block_size, width: reward.n_embd };
    const readText = learnsTextFromCritic(config) ? textKept(config.grpo_max_steps * mixed, reader) : 0;
    const beside = exchanged + readText;
    if (isPlain(model)) return trainingMemory(model, passages + mixed, { frozen }) + beside;
    // Completions and mix are learned from one after the other. Writing takes a copy of all weights before that, and what is
    // given back is not all given to the next: the sum of both was measured, not the greater of them (docs/benchmarks.md).
    const rows = Math.max(passages, mixed);
    const learning = activations(model, rows, { ...circumstances, recomputation: 'selective' });
    // Beside the policy's scores the writer's and the critic's, and what is between them.
    const teachers = reward_shape === 'expected_log_ratio' ? scoresOf(model, rows * model.block_size) : 0;
    const form = isRounded(model, circumstances) ? 'kept' : isCut(model) ? 'cut' : 'compiled';
    const graphs = model.n_layer * POLICY_GRAPHS[form];
    const alone =
      learnerMemory(model, { ...circumstances, frozen }) + learning + graphs + FLOAT * SCORES_KEPT * teachers;
    return alone + writtenWith(model, passages) + beside;
  },
});

/** The passages that a critic or judge reads at once; how many is fixed, how long they are is not. */
const scoringBatch = (model: GPTConfig): Batch => ({
  field: 'block_size',
  rows: model.block_size,
  bytesFor: (block_size) => scoringMemory({ ...model, block_size }, Math.max(...SCORING_BATCHES)),
});

/** The batches of a whole project. @param together where several processes work on it */
export function batchesOf({ config, model }: Pick<Plan, 'config' | 'model'>, together?: Together): readonly Batch[] {
  const of = (kind: ScoringModel) => scoringModelOf(kind, config, model);
  const scoring = scoringModelsTrained(config).map(of);
  const trained = [{ model, train: config }, ...scoring].map((one) => trainingBatch(one.model, one.train, together));
  const batches = [...trained, ...scoring.map((one) => scoringBatch(one.model))];
  if (config.max_cycles === 0) return batches;
  const reward = rewardNetworkOf(config.reward_kind, model, of('critic').model, config.reward_pooling);
  return [...batches, writingBatch(model, config), grpoBatch(model, reward, config, together)];
}

/** Bytes at the peak of a whole project. */
export const peakMemory = (plan: Pick<Plan, 'config' | 'model'>, circumstances: Circumstances): number =>
  Math.max(...batchesOf(plan).map(({ rows, bytesFor }) => bytesFor(rows, circumstances)));

/** The largest number of rows up to `asked` that fits; `asked` itself when it does, 0 when not even one row does. */
export function largestBatch(asked: number, bytesFor: (rows: number) => number, available: number): number {
  if (bytesFor(asked) <= available) return asked;
  let [low, high] = [0, asked];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (bytesFor(middle) <= available) low = middle;
    else high = middle;
  }
  return low;
}
