/**
 * The expectation of the critic's evidence over everything that could have been written at a position, instead of the one
 * token that was: E_π[log r − log q] and KL(π ‖ q), in closed form. It has the optimum of the sampled reward without the noise
 * of one draw (Rao–Blackwell); the passages are the policy's own (Agarwal et al. 2023, on-policy distillation; Gu et al. 2023).
 *
 * Shapes: N completions of T tokens, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { architectureOf } from '../model/architectures.js';
import type { Parameters } from '../model/parameters.js';

/** A network that has read the completions. */
export interface Read {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
  /** (N, T−1, C): hidden states of the tokens 0 … T−2. */
  readonly hidden: tf.Tensor;
}

/** Each (N, T−1). */
interface ExpectedEvidence {
  /** Σ π (log r − log q), each within the bound. Its gradient goes to the policy. */
  readonly evidence: tf.Tensor;
  /** KL(π ‖ q), with its gradient. */
  readonly kl: tf.Tensor;
  /** Of π, for the log. */
  readonly entropies: tf.Tensor;
}

/**
 * @param policy π; `writer` q, the generator that the cycle began with, both at the temperature; `critic` r
 * @param bound of a token's evidence, in nats
 */
export function expectedEvidence(
  networks: { readonly policy: Read; readonly writer: Read; readonly critic: Read },
  temperature: number,
  bound: number,
): ExpectedEvidence {
  const policy = logProbsOf(networks.policy, temperature);
  const writer = logProbsOf(networks.writer, temperature);
  const critic = logProbsOf(networks.critic, 1);
  const probabilities = tf.exp(policy);
  const expected = (values: tf.Tensor): tf.Tensor => tf.sum(tf.mul(probabilities, values), -1);
  return {
    evidence: expected(tf.clipByValue(tf.sub(critic, writer), -bound, bound)),
    kl: expected(tf.sub(policy, writer)),
    entropies: tf.neg(expected(policy)),
  };
}

/**
 * Cross-entropy of the policy against all that the critic expects at each place of a text (word-level distillation, Kim and
 * Rush 2016); hidden states (B, T, C) of both.
 */
export function distillationLoss({ policy, critic }: { readonly policy: Read; readonly critic: Read }): tf.Scalar {
  const wanted = tf.softmax(logitsOf(critic));
  return tf.neg(tf.mean(tf.sum(tf.mul(wanted, tf.logSoftmax(logitsOf(policy))), -1)));
}

const logitsOf = ({ model, parameters, hidden }: Read): tf.Tensor =>
  architectureOf(model).network(model, parameters).logits(hidden);

/** log p of every token of the vocabulary. (N, T−1, V) */
const logProbsOf = (read: Read, temperature: number): tf.Tensor => tf.logSoftmax(tf.div(logitsOf(read), temperature));
