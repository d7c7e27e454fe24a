/**
 * Log-probabilities of given tokens, from hidden states; logits of a large vocabulary are chunked (chunked-logits.ts).
 * Shapes: B passages of T tokens, N tokens in all, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import { sparseCrossEntropy } from '../runtime/ops.js';
import { crossEntropy, tokenEntropies, tokenLogProbs } from './layers.js';
import { bounded, isNever, isRestricted, logProbsUnder, type SamplingRule, scoresUnder } from './sampling-rule.js';
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

/** log p of the labels under a sampling rule, and entropies for the log. */
export function nextTokenScores(given: LossInput, rule: SamplingRule): TokenScores {
  const { hidden, labels } = given;
  if (isPlain(given)) {
    const scores = scoresUnder(networkOf(given).logits(hidden), rule, labels);
    const logProbs = bounded(tokenLogProbs(scores, labels), rule, given.model.vocab_size);
    return { logProbs, entropies: tokenEntropies(scores) };
  }
  const both = scoresOf(given, rule, true);
  const [logProbs, entropies] = tf.unstack(both).map((scores) => tf.reshape(scores, labels.shape));
  if (!logProbs || !entropies) throw new Error('there are two scores of each token');
  return { logProbs, entropies };
}

/** log p of the labels under a sampling rule. (B, T) */
export function nextTokenLogProbs(given: LossInput, rule?: SamplingRule): tf.Tensor {
  const { hidden, labels } = given;
  if (!isPlain(given)) return tf.reshape(scoresOf(given, rule ?? { temperature: 1 }, false), labels.shape);
  const logits = networkOf(given).logits(hidden);
  return rule === undefined ? tokenLogProbs(logits, labels) : logProbsUnder(logits, labels, rule);
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
function scoresOf(given: LossInput, rule: SamplingRule, withEntropies: boolean): tf.Tensor {
  const restricted = isRestricted(rule, given.model.vocab_size);
  const compared = (scores: tf.Tensor, labels: tf.Tensor | undefined) => {
    if (!labels) throw new Error('there are no labels');
    const logits = scoresUnder(scores, rule, labels);
    const { loss, gradient } = sparseCrossEntropy(logits, labels);
    return { logits, gradient, logProbs: tf.neg(loss) };
  };
  return chunkedValues(given, {
    inputs: [asList(given.labels)],
    values(scores, [labels]) {
      const { logits, logProbs, gradient } = compared(scores, labels);
      const values = bounded(logProbs, rule, given.model.vocab_size);
      if (!withEntropies) return values;
      if (restricted) return tf.stack([values, tokenEntropies(logits)]);
      // −Σ p log p from the gradient, which is p but for the label's 1.
      return tf.stack([values, tf.neg(tf.add(logProbs, tf.sum(tf.mul(gradient, logits), -1)))]);
    },
    derivative(scores, [labels], dy) {
      const { gradient: byScores, logProbs } = compared(scores, labels);
      const factor = tf.div(withEntropies ? (tf.unstack(dy)[0] ?? dy) : dy, -rule.temperature);
      if (!restricted) return { byScores, factor };
      return { byScores, factor: tf.where(isNever(logProbs), tf.zerosLike(factor), factor) };
    },
  });
}
