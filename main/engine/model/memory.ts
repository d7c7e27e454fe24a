/**
 * How much memory training takes, told before it begins. Pure arithmetic and no TensorFlow, so that the window's
 * services use it too. The parts are what any trainer holds (weights, moments and gradients, what the backward pass
 * keeps, the scores); their factors were fitted to the peaks of whole processes, because the compiler decides what is
 * kept and what is made anew. tests/engine/model/memory.test.ts measures some again.
 *
 * L layers, H heads, C width, T block, V vocabulary.
 */
import type { GPTConfig } from '../../../shared/config/model.js';

export type NetworkShape = Pick<GPTConfig, 'n_layer' | 'n_head' | 'n_embd' | 'block_size' | 'vocab_size' | 'bias'>;

const FLOAT = 4;
/** The program, TensorFlow, and what XLA takes to compile a step. */
const PROGRAM = 640 * 2 ** 20;
/** Of every weight: itself, two moments and the gradient, each before and after the step. */
const COPIES_TRAINED = 8;
/** Numbers kept for each token and layer: so many widths, and a row of attention for each head. */
const WIDTHS_KEPT = 34;
/** Arrays of scores over the vocabulary: logits, probabilities, the labels' places, and gradients. */
const SCORES_KEPT = 5;

/** Weights of a generator; `parameterCount` of model.ts gives the same. */
export function weightCount({ n_layer: L, n_embd: C, block_size: T, vocab_size: V, bias }: NetworkShape): number {
  const perBlock = 12 * C * C + 2 * C + (bias ? 11 * C : 0);
  return V * C + T * C + L * perBlock + C + (bias ? C : 0);
}

/** Bytes that the backward pass keeps for `rows` sequences of a whole block. */
function activations({ n_layer: L, n_head: H, n_embd: C, block_size: T, vocab_size: V }: NetworkShape, rows: number) {
  return FLOAT * rows * T * (L * (WIDTHS_KEPT * C + H * T) + SCORES_KEPT * V);
}

/**
 * Peak bytes of a process that trains on batches of `rows` sequences.
 * @param frozen other networks of the same shape that are only read: GRPO's reference and reward model
 */
export function trainingMemory(model: NetworkShape, rows: number, frozen = 0): number {
  return PROGRAM + FLOAT * weightCount(model) * (COPIES_TRAINED + frozen) + activations(model, rows);
}

/** Peak bytes of a process that writes `rows` sequences at once: weights, and the keys and values twice. */
export function writingMemory(model: NetworkShape, rows: number): number {
  const { n_layer: L, n_embd: C, block_size: T, vocab_size: V } = model;
  return PROGRAM + FLOAT * (2 * weightCount(model) + rows * (4 * L * T * C + 4 * V));
}

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
