/**
 * How likely given tokens are, from hidden states. A vocabulary of tens of thousands makes arrays of scores larger than
 * anything else in a network: here they are made for some hundred tokens at a time and never kept; the derivative, p minus
 * 1 at the label, is made with them, or with the same once more. GPT-2's architecture goes by plain tfjs instead, all
 * tokens at once: its projects train on to the same bytes as ever.
 *
 * Shapes: B passages of T tokens, N tokens in all, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { SCORES_AT_ONCE } from '../../../shared/costs/memory.js';
import { after, sparseCrossEntropy } from '../runtime/large.js';
import { architectureOf } from './architectures.js';
import { crossEntropy, tokenEntropies, tokenLogProbs } from './layers.js';
import type { Parameters } from './parameters.js';

/** What hidden states are asked: the network, its parameters, hidden states (B, T, C) and the tokens after them (B, T). */
interface Question {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
  readonly hidden: tf.Tensor;
  readonly labels: tf.Tensor;
  /** How many scores are made at once. Default: 64 MB of them. */
  readonly scoresAtOnce?: number;
}

const networkOf = ({ model, parameters }: Question) => architectureOf(model).network(model, parameters);
const isPlain = ({ model: { architecture = 'gpt2' } }: Question): boolean => architecture === 'gpt2';

/** Mean cross-entropy in nats, a scalar. */
export function nextTokenLoss(question: Question): tf.Scalar {
  const { hidden, labels } = question;
  if (isPlain(question)) return crossEntropy(networkOf(question).logits(hidden), labels);
  return lossOf(question);
}

/** What a network says of given tokens, (B, T) each; entropies, in nats, are for the log and have no gradient. */
interface TokenScores {
  readonly logProbs: tf.Tensor;
  readonly entropies: tf.Tensor;
}

/** log p of the labels at a temperature, and how undecided the network was. */
export function nextTokenScores(question: Question, temperature: number): TokenScores {
  const { hidden, labels } = question;
  if (isPlain(question)) {
    const logits = tf.div(networkOf(question).logits(hidden), temperature);
    return { logProbs: tokenLogProbs(logits, labels), entropies: tokenEntropies(logits) };
  }
  const both = scoresOf(question, temperature, true);
  const [logProbs, entropies] = tf.unstack(both).map((scores) => tf.reshape(scores, labels.shape));
  if (!logProbs || !entropies) throw new Error('there are two scores of each token');
  return { logProbs, entropies };
}

/** log p of the labels at a temperature. (B, T) */
export function nextTokenLogProbs(question: Question, temperature?: number): tf.Tensor {
  const { hidden, labels } = question;
  if (!isPlain(question)) return tf.reshape(scoresOf(question, temperature ?? 1, false), labels.shape);
  const logits = networkOf(question).logits(hidden);
  return tokenLogProbs(temperature === undefined ? logits : tf.div(logits, temperature), labels);
}

const asRows = (hidden: tf.Tensor): tf.Tensor2D => tf.reshape(hidden, [-1, hidden.shape.at(-1) ?? 0]);
const asList = (labels: tf.Tensor): tf.Tensor1D => tf.reshape(tf.cast(labels, 'int32'), [-1]);

/** Where each part of N rows begins and how many there are, so that each makes no more scores than it should. */
type Place = readonly [start: number, rows: number];

function placesOf({ model, scoresAtOnce = SCORES_AT_ONCE }: Question, N: number): readonly Place[] {
  const count = Math.ceil(N / Math.max(1, Math.floor(scoresAtOnce / model.vocab_size)));
  const rows = Math.ceil(N / count);
  return Array.from({ length: Math.ceil(N / rows) }, (_, i) => [i * rows, Math.min(rows, N - i * rows)]);
}

/** Some rows of a matrix. */
const rowsOf = (x: tf.Tensor, [start, rows]: Place): tf.Tensor2D =>
  tf.slice(x as tf.Tensor2D, [start, 0], [rows, x.shape[1] ?? 0]);
const entriesOf = (x: tf.Tensor, [start, rows]: Place): tf.Tensor1D => tf.slice(x as tf.Tensor1D, [start], [rows]);

/** One part after the other, so that only one part's scores are in memory; `waitFor` is what the last one made. */
function inTurn<T>(
  x: tf.Tensor,
  places: readonly Place[],
  each: (rows: tf.Tensor2D, place: Place, last: T | undefined) => T,
  waitFor: (made: T) => tf.Tensor,
): T[] {
  const made: T[] = [];
  for (const place of places) {
    const last = made.at(-1);
    const rows = rowsOf(x, place);
    made.push(each((last === undefined ? rows : after(rows, waitFor(last))) as tf.Tensor2D, place, last));
  }
  return made;
}

/** Scores of some rows, and their derivative by what the head makes of them, where that is not 1. */
function scoresWith(cap: number | null, rows: tf.Tensor2D, head: tf.Tensor2D) {
  const scores = tf.matMul(rows, head, false, true);
  if (cap === null) return { logits: scores, slope: null };
  const share = tf.tanh(tf.div(scores, cap));
  return { logits: tf.mul(share, cap), slope: tf.sub(1, tf.square(share)) };
}

const sloped = (gradient: tf.Tensor, slope: tf.Tensor | null): tf.Tensor2D =>
  (slope === null ? gradient : tf.mul(gradient, slope)) as tf.Tensor2D;

/** Derivatives of a part: by its rows, and by the head of all parts so far. */
interface Slopes {
  readonly ofRows: tf.Tensor;
  readonly ofWeight: tf.Tensor;
}

const addedTo = (last: Slopes | undefined, part: tf.Tensor): tf.Tensor => (last ? tf.add(last.ofWeight, part) : part);

/** Waiting for the head's derivative, of which one sum is enough; not where the head is frozen and nobody wants it. */
const slopesDone =
  ({ model }: Question) =>
  ({ ofRows, ofWeight }: Slopes): tf.Tensor =>
    model.lora ? ofRows : ofWeight;

const slopesOf = (parts: readonly Slopes[]): tf.Tensor[] => {
  const sum = parts.at(-1)?.ofWeight;
  if (!sum) throw new Error('there are no rows');
  return [tf.concat(parts.map(({ ofRows }) => ofRows)), sum];
};

/** The mean over all tokens: the derivative is made with it, since nothing but a factor is missing. */
function lossOf(question: Question): tf.Scalar {
  const { head, cap = null } = networkOf(question);
  const [hidden, labels] = [asRows(question.hidden), asList(question.labels)];
  const N = hidden.shape[0];
  const places = placesOf(question, N);
  const op = tf.customGrad((...args) => {
    const [x, weight, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, (tensors: tf.Tensor[]) => void];
    const parts = inTurn(
      x,
      places,
      (rows, place, last: (Slopes & { loss: tf.Tensor }) | undefined) => {
        const { logits, slope } = scoresWith(cap, rows, weight);
        const { loss, gradient } = sparseCrossEntropy(logits, entriesOf(labels, place));
        const ofScores = sloped(gradient, slope);
        return {
          loss,
          ofRows: tf.div(tf.matMul(ofScores, weight), N),
          ofWeight: addedTo(last, tf.matMul(ofScores, tf.div(rows, N) as tf.Tensor2D, true)),
        };
      },
      slopesDone(question),
    );
    save(slopesOf(parts));
    return {
      value: tf.mean(tf.concat(parts.map(({ loss }) => loss))),
      gradFunc: (dy, saved) => (saved as tf.Tensor[]).map((slope) => tf.mul(slope, dy)),
    };
  });
  return op(hidden, head.weight) as tf.Scalar;
}

/**
 * log p of the labels (N), or these and the entropies (2, N). The scores are made once more for the derivative, which
 * is another factor for every token.
 */
function scoresOf(question: Question, temperature: number, withEntropies: boolean): tf.Tensor {
  const [hidden, labels] = [asRows(question.hidden), asList(question.labels)];
  const { head, cap = null } = networkOf(question);
  const places = placesOf(question, hidden.shape[0]);
  const op = tf.customGrad((...args) => {
    const [x, weight, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, (tensors: tf.Tensor[]) => void];
    const compared = (rows: tf.Tensor2D, head: tf.Tensor2D, all: tf.Tensor, place: Place) => {
      const scores = scoresWith(cap, rows, head);
      const logits = tf.div(scores.logits, temperature);
      return { logits, slope: scores.slope, ...sparseCrossEntropy(logits, entriesOf(all, place)) };
    };
    const parts = inTurn(
      x,
      places,
      (rows, place) => {
        const { logits, loss, gradient } = compared(rows, weight, labels, place);
        const logProbs = tf.neg(loss);
        // −Σ p log p, by what is there already: p is the gradient but for the label's 1.
        return withEntropies ? tf.stack([logProbs, tf.sub(loss, tf.sum(tf.mul(gradient, logits), -1))]) : logProbs;
      },
      (made) => made,
    );
    save([x, weight, labels]);
    const gradFunc = (dy: tf.Tensor, saved: unknown) => {
      const [hidden, head, all] = saved as [tf.Tensor2D, tf.Tensor2D, tf.Tensor];
      const factors = tf.div(withEntropies ? (tf.unstack(dy)[0] ?? dy) : dy, -temperature);
      const again = inTurn(
        after(hidden, dy),
        places,
        (rows, place, last: Slopes | undefined) => {
          const { gradient, slope } = compared(rows, head, all, place);
          const ofScores = sloped(gradient, slope);
          const factor = tf.reshape(entriesOf(factors, place), [-1, 1]);
          return {
            ofRows: tf.mul(tf.matMul(ofScores, head), factor),
            ofWeight: addedTo(last, tf.matMul(ofScores, tf.mul(rows, factor) as tf.Tensor2D, true)),
          };
        },
        slopesDone(question),
      );
      return slopesOf(again);
    };
    return { value: tf.concat(parts, withEntropies ? 1 : 0), gradFunc };
  });
  return op(hidden, head.weight);
}
