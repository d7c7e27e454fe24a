/**
 * Scores of a large vocabulary, for some hundred tokens at a time: of tens of thousands of word pieces they are larger than
 * anything else in a network. They are never kept; the derivative, which needs them, makes them once more.
 *
 * Shapes: N tokens in all, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { SCORES_AT_ONCE } from '../../../shared/costs/memory.js';
import { after } from '../runtime/control-flow.js';
import type { Network } from './architecture.js';
import { architectureOf } from './architectures.js';
import type { Parameters } from './parameters.js';

/** Hidden states (…, C) of a network, whose scores are asked for. */
export interface Scored {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
  readonly hidden: tf.Tensor;
  /** How many scores are made at once. Default: 64 MB of them. */
  readonly scoresAtOnce?: number;
}

export const networkOf = ({ model, parameters }: Omit<Scored, 'hidden'>): Network =>
  architectureOf(model).network(model, parameters);

/** GPT-2's architecture goes by plain tfjs, all tokens at once: its projects train on to the same bytes as ever. */
export const isPlain = ({ model: { architecture = 'gpt2' } }: Pick<Scored, 'model'>): boolean =>
  architecture === 'gpt2';

/** (…, C) as (N, C). */
export const asRows = (hidden: tf.Tensor): tf.Tensor2D => tf.reshape(hidden, [-1, hidden.shape.at(-1) ?? 0]);

/** Where each part of N rows begins and how many there are, so that each makes no more scores than it should. */
export type Place = readonly [start: number, rows: number];

export function placesOf({ model, scoresAtOnce = SCORES_AT_ONCE }: Scored, N: number): readonly Place[] {
  const count = Math.ceil(N / Math.max(1, Math.floor(scoresAtOnce / model.vocab_size)));
  const rows = Math.ceil(N / count);
  return Array.from({ length: Math.ceil(N / rows) }, (_, i) => [i * rows, Math.min(rows, N - i * rows)]);
}

/** Some rows of a list (N) or a matrix (N, C). */
export function rowsOf<T extends tf.Tensor>(x: T, [start, rows]: Place): T {
  const [, ...rest] = x.shape;
  return tf.slice(x, [start, ...rest.map(() => 0)], [rows, ...rest]);
}

/** One part after the other, so that only one part's scores are in memory; `waitFor` is what the last one made. */
export function inTurn<T>(
  x: tf.Tensor,
  places: readonly Place[],
  each: (rows: tf.Tensor2D, place: Place, last: T | undefined) => T,
  waitFor: (made: T) => tf.Tensor,
): T[] {
  const made: T[] = [];
  for (const place of places) {
    const last = made.at(-1);
    const rows = rowsOf(x as tf.Tensor2D, place);
    made.push(each((last === undefined ? rows : after(rows, waitFor(last))) as tf.Tensor2D, place, last));
  }
  return made;
}

/** Scores of some rows, and their derivative by what the head makes of them, where that is not 1. */
export function scoresWith(cap: number | null, rows: tf.Tensor2D, head: tf.Tensor2D) {
  const scores = tf.matMul(rows, head, false, true);
  if (cap === null) return { logits: scores, slope: null };
  const share = tf.tanh(tf.div(scores, cap));
  return { logits: tf.mul(share, cap), slope: tf.sub(1, tf.square(share)) };
}

export const sloped = (gradient: tf.Tensor, slope: tf.Tensor | null): tf.Tensor2D =>
  (slope === null ? gradient : tf.mul(gradient, slope)) as tf.Tensor2D;

/** Derivatives of a part: by its rows, and by the head of all parts so far. */
export interface Slopes {
  readonly ofRows: tf.Tensor;
  readonly ofWeight: tf.Tensor;
}

export const addedTo = (last: Slopes | undefined, part: tf.Tensor): tf.Tensor =>
  last ? tf.add(last.ofWeight, part) : part;

/** Waiting for the head's derivative, of which one sum is enough; not where the head is frozen and nobody wants it. */
export const slopesDone =
  ({ model }: Pick<Scored, 'model'>) =>
  ({ ofRows, ofWeight }: Slopes): tf.Tensor =>
    model.lora ? ofRows : ofWeight;

export const slopesOf = (parts: readonly Slopes[]): tf.Tensor[] => {
  const sum = parts.at(-1)?.ofWeight;
  if (!sum) throw new Error('there are no rows');
  return [tf.concat(parts.map(({ ofRows }) => ofRows)), sum];
};

/** What is made of each row's scores. */
interface Values {
  /** What belongs to the rows besides, (N) or (N, …) each: a part's rows of it are handed on. */
  readonly beside: readonly tf.Tensor[];
  /** (rows), or (K, rows) of K values, from scores (rows, V). */
  values(logits: tf.Tensor, beside: readonly tf.Tensor[]): tf.Tensor;
  /**
   * The derivative by the scores, (rows, V), where `dy` is that by the values, shaped as they are; `factor` (rows) is what is
   * still to be multiplied with each row of it.
   */
  derivative(
    logits: tf.Tensor,
    beside: readonly tf.Tensor[],
    dy: tf.Tensor,
  ): { readonly byScores: tf.Tensor; readonly factor: tf.Tensor | null };
}

/** Values of the scores of each row, (N) or (K, N), with their derivative by hidden states and head. */
export function valuesInParts(scored: Scored, { beside, values, derivative }: Values): tf.Tensor {
  const hidden = asRows(scored.hidden);
  const { head, cap = null } = networkOf(scored);
  const places = placesOf(scored, hidden.shape[0]);
  const partOf = (all: readonly tf.Tensor[], place: Place) => all.map((one) => rowsOf(one, place));
  const op = tf.customGrad((...args) => {
    const [x, weight, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, (tensors: tf.Tensor[]) => void];
    const parts = inTurn(
      x,
      places,
      (rows, place) => values(scoresWith(cap, rows, weight).logits, partOf(beside, place)),
      (made) => made,
    );
    save([x, weight, ...beside]);
    const gradFunc = (dy: tf.Tensor, saved: unknown) => {
      const [hidden, head, ...all] = saved as [tf.Tensor2D, tf.Tensor2D, ...tf.Tensor[]];
      const again = inTurn(
        after(hidden, dy),
        places,
        (rows, place, last: Slopes | undefined) => {
          const { logits, slope } = scoresWith(cap, rows, head);
          const { byScores, factor } = derivative(logits, partOf(all, place), columnsOf(dy, place));
          const ofScores = sloped(byScores, slope);
          const column = factor && tf.reshape(factor, [-1, 1]);
          const ofRows = tf.matMul(ofScores, head);
          return {
            ofRows: column ? tf.mul(ofRows, column) : ofRows,
            ofWeight: addedTo(last, tf.matMul(ofScores, column ? (tf.mul(rows, column) as tf.Tensor2D) : rows, true)),
          };
        },
        slopesDone(scored),
      );
      return slopesOf(again);
    };
    return { value: tf.concat(parts, (parts[0]?.rank ?? 1) - 1), gradFunc };
  });
  return op(hidden, head.weight);
}

/** Some entries of a list (N), or of each row of (K, N). */
const columnsOf = (x: tf.Tensor, [start, rows]: Place): tf.Tensor =>
  x.rank === 1 ? rowsOf(x, [start, rows]) : tf.slice(x, [0, start], [x.shape[0] ?? 0, rows]);
