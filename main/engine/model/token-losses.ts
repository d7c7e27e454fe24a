/**
 * Log-probabilities of given tokens, from hidden states; logits of a large vocabulary are chunked (chunked-logits.ts).
 * Shapes: B passages of T tokens, N tokens in all, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import { sparseCrossEntropy } from '../runtime/ops.js';
import { crossEntropy, tokenEntropies, tokenLogProbs } from './layers.js';
import {
  accumulated,
  asRows,
  inSequence,
  isPlain,
  networkOf,
  chunksOf,
  rowsOf,
  boundedLogits,
  throughCap,
  chunkDone,
  joinedGradients,
  chunkedValues,
  type LogitsInput,
  type HeadGradients,
} from './chunked-logits.js';

/** Hidden states (B, T, C) and the labels after them (B, T). */
interface LossInput extends LogitsInput {
  readonly labels: tf.Tensor;
}

/** Mean cross-entropy in nats, a scalar. */
export function nextTokenLoss(given: LossInput): tf.Scalar {
  const { hidden, labels } = given;
  if (isPlain(given)) return crossEntropy(networkOf(given).logits(hidden), labels);
  return lossOf(given);
}

/** (B, T) each; entropies, in nats, have no gradient in chunks. */
interface TokenScores {
  readonly logProbs: tf.Tensor;
  readonly entropies: tf.Tensor;
}

/** log p of the labels at a temperature, and entropies for the log. */
export function nextTokenScores(given: LossInput, temperature: number): TokenScores {
  const { hidden, labels } = given;
  if (isPlain(given)) {
    const logits = tf.div(networkOf(given).logits(hidden), temperature);
    return { logProbs: tokenLogProbs(logits, labels), entropies: tokenEntropies(logits) };
  }
  const both = scoresOf(given, temperature, true);
  const [logProbs, entropies] = tf.unstack(both).map((scores) => tf.reshape(scores, labels.shape));
  if (!logProbs || !entropies) throw new Error('there are two scores of each token');
  return { logProbs, entropies };
}

/** log p of the labels at a temperature. (B, T) */
export function nextTokenLogProbs(given: LossInput, temperature?: number): tf.Tensor {
  const { hidden, labels } = given;
  if (!isPlain(given)) return tf.reshape(scoresOf(given, temperature ?? 1, false), labels.shape);
  const logits = networkOf(given).logits(hidden);
  return tokenLogProbs(temperature === undefined ? logits : tf.div(logits, temperature), labels);
}

const asList = (labels: tf.Tensor): tf.Tensor1D => tf.reshape(tf.cast(labels, 'int32'), [-1]);

/** The mean over all tokens; its derivative is computed in the forward pass, up to a factor. */
function lossOf(given: LossInput): tf.Scalar {
  const { head, cap = null } = networkOf(given);
  const [hidden, labels] = [asRows(given.hidden), asList(given.labels)];
  const N = hidden.shape[0];
  const chunks = chunksOf(given, N);
  const op = tf.customGrad((...args) => {
    const [x, weight, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, (tensors: tf.Tensor[]) => void];
    const parts = inSequence(
      x,
      chunks,
      (rows, chunk, last: (HeadGradients & { loss: tf.Tensor }) | undefined) => {
        const { logits, slope } = boundedLogits(cap, rows, weight);
        const { loss, gradient } = sparseCrossEntropy(logits, rowsOf(labels, chunk));
        const ofScores = throughCap(gradient, slope);
        return {
          loss,
          ofRows: tf.div(tf.matMul(ofScores, weight), N),
          ofWeight: accumulated(last, tf.matMul(ofScores, tf.div(rows, N) as tf.Tensor2D, true)),
        };
      },
      chunkDone(given),
    );
    save(joinedGradients(parts));
    return {
      value: tf.mean(tf.concat(parts.map(({ loss }) => loss))),
      gradFunc: (dy, saved) => (saved as tf.Tensor[]).map((slope) => tf.mul(slope, dy)),
    };
  });
  return op(hidden, head.weight) as tf.Scalar;
}

/** log p of the labels (N), or with the entropies (2, N). The factor differs by token, so the backward pass recomputes logits. */
function scoresOf(given: LossInput, temperature: number, withEntropies: boolean): tf.Tensor {
  const compared = (scores: tf.Tensor, labels: tf.Tensor | undefined) => {
    if (!labels) throw new Error('there are no labels');
    const logits = tf.div(scores, temperature);
    return { logits, ...sparseCrossEntropy(logits, labels) };
  };
  return chunkedValues(given, {
    inputs: [asList(given.labels)],
    values(scores, [labels]) {
      const { logits, loss, gradient } = compared(scores, labels);
      const logProbs = tf.neg(loss);
      // −Σ p log p from the gradient, which is p but for the label's 1.
      return withEntropies ? tf.stack([logProbs, tf.sub(loss, tf.sum(tf.mul(gradient, logits), -1))]) : logProbs;
    },
    derivative: (scores, [labels], dy) => ({
      byScores: compared(scores, labels).gradient,
      factor: tf.div(withEntropies ? (tf.unstack(dy)[0] ?? dy) : dy, -temperature),
    }),
  });
}
