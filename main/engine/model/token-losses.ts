/**
 * How likely given tokens are, from hidden states: the scores of a large vocabulary are made in parts (scores-in-parts.ts), and the
 * derivative, p minus 1 at the label, with them, or with the same once more.
 *
 * Shapes: B passages of T tokens, N tokens in all, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import { sparseCrossEntropy } from '../runtime/ops.js';
import { crossEntropy, tokenEntropies, tokenLogProbs } from './layers.js';
import {
  addedTo,
  asRows,
  inTurn,
  isPlain,
  networkOf,
  placesOf,
  rowsOf,
  scoresWith,
  sloped,
  slopesDone,
  slopesOf,
  valuesInParts,
  type Scored,
  type Slopes,
} from './scores-in-parts.js';

/** What hidden states (B, T, C) are asked: how likely the tokens after them are (B, T). */
interface Question extends Scored {
  readonly labels: tf.Tensor;
}

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

const asList = (labels: tf.Tensor): tf.Tensor1D => tf.reshape(tf.cast(labels, 'int32'), [-1]);

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
        const { loss, gradient } = sparseCrossEntropy(logits, rowsOf(labels, place));
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
 * log p of the labels (N), or these and the entropies (2, N), which have no derivative. The scores are made once more for it:
 * it is another factor for every token.
 */
function scoresOf(question: Question, temperature: number, withEntropies: boolean): tf.Tensor {
  const compared = (scores: tf.Tensor, labels: tf.Tensor | undefined) => {
    if (!labels) throw new Error('there are no labels');
    const logits = tf.div(scores, temperature);
    return { logits, ...sparseCrossEntropy(logits, labels) };
  };
  return valuesInParts(question, {
    beside: [asList(question.labels)],
    values(scores, [labels]) {
      const { logits, loss, gradient } = compared(scores, labels);
      const logProbs = tf.neg(loss);
      // −Σ p log p, by what is there already: p is the gradient but for the label's 1.
      return withEntropies ? tf.stack([logProbs, tf.sub(loss, tf.sum(tf.mul(gradient, logits), -1))]) : logProbs;
    },
    derivative: (scores, [labels], dy) => ({
      byScores: compared(scores, labels).gradient,
      factor: tf.div(withEntropies ? (tf.unstack(dy)[0] ?? dy) : dy, -temperature),
    }),
  });
}
