/**
 * DPO's loss (Rafailov et al. 2023) of pairs of continuations, plus a share of the chosen one's own loss, which keeps it from becoming less
 * likely (as RPO does), and a share of the text's. Shapes: P pairs; passages are (3P, L): chosen, rejected, and the text itself.
 */
import * as tf from '@tensorflow/tfjs';

interface PairInputs {
  /** (3P): log p of the continuations under the policy. */
  readonly logProbs: tf.Tensor1D;
  /** (2P): the same of the pairs under the model that it began as. */
  readonly reference: tf.Tensor1D;
  readonly beta: tf.Tensor | number;
  /** Shares of the loss per token of chosen continuations and of the text, and their tokens. */
  readonly shares: { readonly chosen: number; readonly text: number };
  readonly tokens: number;
}

export function pairLoss({ logProbs, reference, beta, shares, tokens }: PairInputs): tf.Scalar {
  const [own, other, text] = tf.split(logProbs, 3) as [tf.Tensor1D, tf.Tensor1D, tf.Tensor1D];
  const [ownBefore, otherBefore] = tf.split(reference, 2) as [tf.Tensor1D, tf.Tensor1D];
  const lead = tf.mul(tf.sub(tf.sub(other, otherBefore), tf.sub(own, ownBefore)), beta);
  // −log σ(−lead)
  const preference = tf.mean(tf.logSumExp(tf.stack([tf.zerosLike(lead), lead]), 0));
  const likely = tf.add(tf.mul(tf.mean(own), shares.chosen), tf.mul(tf.mean(text), shares.text));
  return tf.sub(preference, tf.div(likely, tokens));
}
