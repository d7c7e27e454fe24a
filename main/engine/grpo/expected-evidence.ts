/**
 * The critic's evidence in expectation over every token that could follow, instead of the written one: E_π[log r − log q] and
 * KL(π ‖ q), in closed form. It has the optimum of the sampled reward without the noise of one draw (Rao–Blackwell); the passages
 * are the policy's own (Agarwal et al. 2023, on-policy distillation; Gu et al. 2023).
 *
 * Shapes: N completions of T tokens, C width, V vocabulary.
 */
import * as tf from '@tensorflow/tfjs';
import {
  asRows,
  isPlain,
  networkOf,
  chunksOf,
  boundedLogits,
  chunkedValues,
  type LogitsInput,
} from '../model/chunked-logits.js';
import { bounded, type SamplingRule, scoresUnder } from '../model/sampling-rule.js';

/** Each (N, T−1). */
interface ExpectedEvidence {
  /** Σ π (log r − log q), each within the bound. Its gradient goes to the policy. */
  readonly evidence: tf.Tensor;
  /** KL(π ‖ q), with its gradient. */
  readonly kl: tf.Tensor;
  /** Entropies of π, for the log. */
  readonly entropies: tf.Tensor;
}

/**
 * @param networks with hidden states of the tokens 0 … T−2, (N, T−1, C): the policy π and the generator that the cycle began with q,
 * both under the rule, and the critic r
 * @param bound of a token's evidence, in nats
 */
export function expectedEvidence(
  networks: { readonly policy: LogitsInput; readonly writer: LogitsInput; readonly critic: LogitsInput },
  rule: SamplingRule,
  bound: number,
): ExpectedEvidence {
  const { policy, writer, critic } = networks;
  if (fitsAtOnce(policy)) {
    const scores = { policy: logitsOf(policy), writer: logitsOf(writer), critic: logitsOf(critic) };
    const { probabilities, evidence, advance, own } = termsOf(scores, rule, bound);
    return {
      evidence: mean(probabilities, evidence),
      kl: mean(probabilities, advance),
      entropies: tf.neg(mean(probabilities, own)),
    };
  }
  const terms = (scores: tf.Tensor, [ofWriter, ofCritic]: readonly tf.Tensor[]) => {
    const teachers = { writer: scoresOfRows(writer, ofWriter), critic: scoresOfRows(critic, ofCritic) };
    return termsOf({ policy: scores, ...teachers }, rule, bound);
  };
  const values = chunkedValues(policy, {
    inputs: [asRows(writer.hidden), asRows(critic.hidden)],
    values(scores, inputs) {
      const { probabilities, evidence, advance, own } = terms(scores, inputs);
      return tf.stack([evidence, advance, tf.neg(own)].map((each) => mean(probabilities, each)));
    },
    // The derivative of a mean Σ π f by a score is π (f − Σ π f), for fixed f and for log π itself.
    derivative(scores, inputs, dy) {
      const { probabilities, evidence, advance } = terms(scores, inputs);
      const [ofEvidence, ofKl] = tf.unstack(tf.expandDims(dy, -1));
      const centred = (each: tf.Tensor) => tf.sub(each, tf.expandDims(mean(probabilities, each), -1));
      const weighed = tf.add(tf.mul(ofEvidence ?? 0, centred(evidence)), tf.mul(ofKl ?? 0, centred(advance)));
      return { byScores: tf.div(tf.mul(probabilities, weighed), rule.temperature), factor: null };
    },
  });
  const shape = policy.hidden.shape.slice(0, -1);
  const [evidence, kl, entropies] = tf.unstack(values).map((each) => tf.reshape(each, shape));
  if (!evidence || !kl || !entropies) throw new Error('each token has three values');
  return { evidence, kl, entropies };
}

/** Computes terms of every token of the vocabulary: log π, π, the bounded evidence log r − log q, and log π − log q. */
function termsOf(
  scores: Readonly<Record<'policy' | 'writer' | 'critic', tf.Tensor>>,
  rule: SamplingRule,
  bound: number,
) {
  const under = (logits: tf.Tensor) => tf.logSoftmax(scoresUnder(logits, rule));
  const bounds = (logProbs: tf.Tensor) => bounded(logProbs, rule, logProbs.shape.at(-1) ?? 0);
  const drawn = under(scores.policy);
  const [own, writer] = [bounds(drawn), bounds(under(scores.writer))];
  const critic = tf.logSoftmax(scores.critic);
  return {
    own,
    probabilities: tf.exp(drawn),
    evidence: tf.clipByValue(tf.sub(critic, writer), -bound, bound),
    advance: tf.sub(own, writer),
  };
}

const mean = (probabilities: tf.Tensor, values: tf.Tensor): tf.Tensor => tf.sum(tf.mul(probabilities, values), -1);

/**
 * Computes the policy's cross-entropy against the critic's distribution at each place of a text (word-level distillation, Kim and
 * Rush 2016), from hidden states (B, T, C) of both.
 */
export function distillationLoss({
  policy,
  critic,
}: {
  readonly policy: LogitsInput;
  readonly critic: LogitsInput;
}): tf.Scalar {
  if (fitsAtOnce(policy)) {
    const wanted = tf.softmax(logitsOf(critic));
    return tf.neg(tf.mean(tf.sum(tf.mul(wanted, tf.logSoftmax(logitsOf(policy))), -1)));
  }
  const wantedOf = ([rows]: readonly tf.Tensor[]) => tf.softmax(scoresOfRows(critic, rows));
  const losses = chunkedValues(policy, {
    inputs: [asRows(critic.hidden)],
    values: (scores, inputs) => tf.neg(mean(wantedOf(inputs), tf.logSoftmax(scores))),
    derivative: (scores, inputs, dy) => ({ byScores: tf.sub(tf.softmax(scores), wantedOf(inputs)), factor: dy }),
  });
  return tf.mean(losses);
}

const logitsOf = ({ hidden, ...network }: LogitsInput): tf.Tensor => networkOf(network).logits(hidden);

/** The scores of all places may be in memory together: small networks compute as ever, so that their bytes stay the same. */
const fitsAtOnce = (policy: LogitsInput): boolean =>
  isPlain(policy) || chunksOf(policy, policy.hidden.size / policy.model.n_embd).length === 1;

/** Computes scores (rows, V) of rows of hidden states. */
function scoresOfRows(network: LogitsInput, rows: tf.Tensor | undefined): tf.Tensor {
  if (!rows) throw new Error('there are no rows');
  const { head, cap = null } = networkOf(network);
  return boundedLogits(cap, rows as tf.Tensor2D, head.weight as tf.Tensor2D).logits;
}
