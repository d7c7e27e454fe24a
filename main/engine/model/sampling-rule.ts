/** The one rule of what may be drawn, with which probability: the writer draws by it, and log q is computed by it. */
import * as tf from '@tensorflow/tfjs';
import type { GenerationConfig, ReadingConfig } from '../../../shared/config/generation.js';
import { tokenLogProbs } from './layers.js';

/** The part of a rule that can change between calls of a compiled function. @template N `tf.Tensor` inside of it */
export interface AdjustableRule<N = number> {
  readonly temperature: N;
  /** The probability of the likeliest tokens that can be drawn (Holtzman et al. 2020); absent: 1. */
  readonly topP?: N;
  /** The least probability that can be drawn, as a share of the likeliest token's (Nguyen et al. 2024); absent: 0. */
  readonly minP?: N;
  /** Divides positive logits of tokens in the context and multiplies negative ones (Keskar et al. 2019); absent: 1. */
  readonly repetitionPenalty?: N;
}

export interface SamplingRule<N = number> extends AdjustableRule<N> {
  /** The number of likeliest tokens that can be drawn; null for all. */
  readonly topK?: number | null;
  /** The tokenizer's number of tokens; the model may have more outputs. */
  readonly vocabLimit?: number;
  /** Ids that are never drawn: the tokenizer's special tokens. */
  readonly excluded?: readonly number[];
}

/** The settings of generation and the tokens that it may draw. */
export interface Drawing {
  readonly generation: GenerationConfig;
  readonly vocabLimit: number;
  readonly excluded?: readonly number[];
}

export const samplingRule = ({ generation, vocabLimit, excluded = [] }: Drawing): SamplingRule => ({
  temperature: generation.temperature,
  topK: generation.top_k,
  vocabLimit,
  excluded,
});

/** The rule for what users read; reward data and GRPO draw by `samplingRule`, which scores every token. */
export const readingRule = (drawing: Drawing & { readonly generation: ReadingConfig }): SamplingRule => ({
  ...samplingRule(drawing),
  topP: drawing.generation.top_p,
});

/** Finite, since −∞ − −∞ is NaN. */
const NEVER = -1e30;
/** log q of a token that is never drawn: near certainty, but small enough for sums and ratios. */
export const UNDRAWN = -20;
/** A scored token this near the threshold counts as drawn: writer and scorer round differently. */
const TOLERANCE = 0.05;

type AnyRule = SamplingRule<number | tf.Tensor>;

/**
 * Computes logits at the temperature; those of tokens that cannot be drawn are `NEVER`. Ties at a threshold remain.
 * @param labels (…) tokens to score
 * @param seen bool (…, V) tokens in the context, for the repetition penalty
 */
export function scoresUnder(logits: tf.Tensor, rule: AnyRule, labels?: tf.Tensor, seen?: tf.Tensor): tf.Tensor {
  const V = logits.shape.at(-1) ?? 0;
  const { topK = null, topP = 1, minP = 0 } = rule;
  const penalties = penaltiesOf(rule, V);
  let scores = tf.div(withPenalty(logits, rule, seen), rule.temperature);
  if (penalties) scores = tf.add(scores, penalties);
  const near = labels && tf.mul(tf.oneHot(tf.cast(labels, 'int32'), V), TOLERANCE);
  const cut = (least: (x: tf.Tensor) => tf.Tensor) =>
    replaced(scores, (x) => tf.less(x, near ? tf.sub(least(x), near) : least(x)), NEVER);
  if (topK !== null && topK < V) scores = cut((x) => tf.min(tf.topk(x, topK, true).values, -1, true));
  if (topP !== 1) scores = replaced(scores, (x) => isBeyondNucleus(x, topP, near), NEVER);
  if (minP !== 0) scores = cut((x) => tf.add(tf.max(x, -1, true), tf.log(minP)));
  return scores;
}

function withPenalty(logits: tf.Tensor, { repetitionPenalty: penalty = 1 }: AnyRule, seen?: tf.Tensor): tf.Tensor {
  if (penalty === 1) return logits;
  if (!seen) throw new Error('a repetition penalty needs the tokens of the context');
  const lowered = tf.where(tf.greater(logits, 0), tf.div(logits, penalty), tf.mul(logits, penalty));
  return tf.where(seen, lowered, logits);
}

/** Computes log q of labels under the rule. logits: (…, V), labels: (…) int32, seen: bool (…, V); result: (…) */
export const logProbsUnder = (logits: tf.Tensor, labels: tf.Tensor, rule: AnyRule, seen?: tf.Tensor): tf.Tensor =>
  bounded(tokenLogProbs(scoresUnder(logits, rule, labels, seen), labels), rule, logits.shape.at(-1) ?? 0);

/** Replaces log-probabilities of tokens that are never drawn by `UNDRAWN`. @param V of the logits */
export const bounded = (logProbs: tf.Tensor, rule: AnyRule, V: number): tf.Tensor =>
  isRestricted(rule, V) ? replaced(logProbs, isNever, UNDRAWN) : logProbs;

export const isNever = (logProbs: tf.Tensor): tf.Tensor => tf.less(logProbs, NEVER / 2);

export const isRestricted = ({ topK = null, topP = 1, minP = 0, ...rule }: AnyRule, V: number): boolean =>
  (topK !== null && topK < V) || topP !== 1 || minP !== 0 || penaltiesOf(rule, V) !== null;

/** Returns 0 or `NEVER` for each token, (V); null if all may be drawn. */
function penaltiesOf({ vocabLimit = Infinity, excluded = [] }: Partial<AnyRule>, V: number): tf.Tensor1D | null {
  if (vocabLimit >= V && excluded.length === 0) return null;
  const penalties = new Float32Array(V);
  for (const id of excluded) if (id < V) penalties[id] = NEVER;
  return tf.tensor1d(penalties.fill(NEVER, Math.min(V, vocabLimit)));
}

/** No token that is drawn is less likely than the likeliest one by more nats than this. */
const NUCLEUS_DEPTH = 30;
const BISECTIONS = 25;

/**
 * Returns whether a token is less likely than the likeliest ones whose probabilities sum up to at least `share`, to a millionth.
 * Bisection is used since sorting took longer than the network; it reads probabilities alone, in half of the time of scores.
 * @param near as of `scoresUnder`
 */
function isBeyondNucleus(scores: tf.Tensor, share: number | tf.Tensor, near?: tf.Tensor): tf.Tensor {
  const probabilities = tf.softmax(scores);
  let least: tf.Tensor = tf.mul(tf.max(probabilities, -1, true), Math.exp(-NUCLEUS_DEPTH));
  for (let step = 1; step <= BISECTIONS; step++) {
    const higher = tf.mul(least, Math.exp(NUCLEUS_DEPTH / 2 ** step));
    const likely = tf.where(tf.greaterEqual(probabilities, higher), probabilities, tf.zerosLike(scores));
    least = tf.where(tf.greaterEqual(tf.sum(likely, -1, true), share), higher, least);
  }
  return tf.less(probabilities, near ? tf.mul(least, tf.exp(tf.neg(near))) : least);
}

/** Replaces some elements by a constant, which has no gradient. */
function replaced(x: tf.Tensor, isReplaced: (x: tf.Tensor) => tf.Tensor, value: number): tf.Tensor {
  return tf.customGrad((given, save) => {
    const all = given as tf.Tensor;
    const mask = isReplaced(all);
    (save as (tensors: tf.Tensor[]) => void)([mask]);
    return {
      value: tf.where(mask, tf.fill(all.shape, value), all),
      gradFunc: (dy, saved) => tf.where((saved as tf.Tensor[])[0] ?? mask, tf.zerosLike(dy), dy),
    };
  })(x);
}
