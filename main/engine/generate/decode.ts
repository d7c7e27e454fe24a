/**
 * Generates token by token with a key-value cache (Shazeer 2019, section 2.3). Prefixes of a batch may differ in length: each
 * position takes the given token if there is one, else the drawn token.
 * Shapes: B passages, T block, L length of the cache (at most T), H heads, D width of a head, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { KeysValues } from '../model/architecture.js';
import { architectureOf } from '../model/architectures.js';
import { startAt } from '../model/layers.js';
import type { Parameters } from '../model/parameters.js';
import { type AdjustableRule, logProbsUnder, type SamplingRule } from '../model/sampling-rule.js';
import { whileLoop } from '../runtime/control-flow.js';
import { dynamicSlice, dynamicUpdateSlice } from '../runtime/ops.js';
import { mapTensors } from '../runtime/tree.js';
import { sampleTokens } from './sampling.js';

/** How tokens are drawn, and the rule of their log-probabilities: the same unless it is given. */
export interface WritingRules {
  readonly rule: SamplingRule;
  readonly scored?: SamplingRule;
}

/** State of the decoding loop. */
export type DecodeState = {
  /** int32 scalar: the last position that every passage has. */
  readonly position: tf.Tensor;
  /** int32 (B, T): given and drawn tokens; zeros beyond. */
  readonly tokens: tf.Tensor;
  /** (B, T): log-probabilities of drawn tokens; 0 for given ones. */
  readonly logProbs: tf.Tensor;
  readonly layers: readonly KeysValues[];
  /** bool (B, V): the tokens of each passage up to the position, for a rule that changes between calls. */
  readonly seen: tf.Tensor | undefined;
};

const int = (value: number): tf.Tensor => tf.scalar(value, 'int32');

/** Column `position` of (B, T) as (B). */
const columnAt = (x: tf.Tensor, position: tf.Tensor): tf.Tensor1D => {
  const [B = 0] = x.shape;
  return tf.reshape(dynamicSlice(x, startAt(position, 2, 1), [B, 1]), [B]);
};

const withColumn = (x: tf.Tensor, column: tf.Tensor, position: tf.Tensor): tf.Tensor =>
  dynamicUpdateSlice(x, tf.reshape(column, [-1, 1]), startAt(position, 2, 1));

/** Constants of the decoding loop. */
export type Given = {
  /** int32 (B) */
  readonly prefixLengths: tf.Tensor;
  /** (B, T) in [0, 1): [b, t] decides token t of passage b. */
  readonly uniform: tf.Tensor;
  /** (4) of `adjustmentOf`; absent: the compiled rule. */
  readonly adjustment: tf.Tensor | undefined;
};

/** Numbers of a rule that change without compiling again. */
export const adjustmentOf = ({ temperature, topP = 1, minP = 0, repetitionPenalty = 1 }: AdjustableRule): number[] => [
  temperature,
  topP,
  minP,
  repetitionPenalty,
];

function adjusted(rule: SamplingRule, numbers: tf.Tensor | undefined): SamplingRule<number | tf.Tensor> {
  if (!numbers) return rule;
  const number = (at: number) => tf.slice(numbers, [at], [1]);
  return { ...rule, temperature: number(0), topP: number(1), minP: number(2), repetitionPenalty: number(3) };
}

/** Generates up to the position `end`, within a compiled function. @param end int32 scalar, at most L and T − 1 */
export function decodeUntil(
  model: GPTConfig,
  parameters: Parameters,
  { rule, scored }: WritingRules,
  start: DecodeState,
  { prefixLengths, uniform, adjustment }: Given,
  end: tf.Tensor,
): DecodeState {
  const network = architectureOf(model).network(model, parameters, true);
  const how = adjusted(rule, adjustment);
  return whileLoop<DecodeState>(
    ({ position }) => tf.less(position, end),
    ({ position, tokens, logProbs, layers, seen }) => {
      const read = network.forward(columnAt(tokens, position), { cache: { position, layers } });
      const logits = network.logits(read.hidden) as tf.Tensor2D; // (B, V)
      const next = tf.add(position, int(1));
      const drawn = sampleTokens(logits, columnAt(uniform, next), how, seen);
      const given = tf.less(next, prefixLengths); // (B)
      const token = tf.where(given, columnAt(tokens, next), drawn);
      const logProb = scored ? logProbsUnder(logits, drawn, scored) : logProbsUnder(logits, drawn, how, seen);
      return {
        position: next,
        tokens: withColumn(tokens, token, next),
        logProbs: withColumn(logProbs, tf.where(given, tf.zerosLike(logProb), logProb), next),
        layers: read.layers,
        seen: seen && tf.logicalOr(seen, tf.oneHot(tf.cast(token, 'int32'), model.vocab_size, 1, 0, 'bool')),
      };
    },
    start,
  );
}

/** The initial state, which the caller disposes. @param tokens int32 (B, T) with the prefixes */
export function startState(
  tokens: tf.Tensor,
  layers: readonly KeysValues[],
  position: number,
  seen?: tf.Tensor,
): DecodeState {
  return { position: int(position), tokens, logProbs: tf.zeros(tokens.shape), layers, seen };
}

/** Computes the cache of given tokens at once. @param given int32 (B, W). @returns keys and values, zeros from W to `length` */
export function prefill(model: GPTConfig, parameters: Parameters, given: tf.Tensor, length: number): KeysValues[] {
  const { layers } = architectureOf(model).network(model, parameters).forward(given);
  return layers.map((layer) => mapTensors(layer, (x) => lengthened(x, length)));
}

export const cacheLength = ({ layers: [first] }: DecodeState): number => first?.keys.shape[2] ?? 0;

/** Pads keys or values (B, H, L, D) with zeros to a greater length. */
export const lengthened = (x: tf.Tensor, length: number): tf.Tensor =>
  tf.pad(x as tf.Tensor4D, [
    [0, 0],
    [0, 0],
    [0, length - (x.shape[2] ?? 0)],
    [0, 0],
  ]);
