/**
 * Scores the completions of a GRPO step. Two networks read them once: the reward model, and the generator that the cycle began
 * with, which is both the reference and q of a critic's evidence.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { readSequences } from '../model/sequence-scores.js';
import { disposeTrees } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { alone, gatherNumbers, shareOf } from '../team.js';
import type { Environment, TokenIds } from '../types.js';
import { criticEvidence, judgeOf, type WriterModel } from './reward-scorer.js';
import { valuesOf } from '../runtime/reading.js';

/** Answers of the reward model on a batch of completions. */
export interface RewardAnswers {
  /** Computes P(natural), (count). */
  fractions(): Float32Array;
  /** Evidence for each token, (count, T) flat; null for a head. */
  readonly evidence: Float32Array | null;
}

/**
 * @param keepsHidden also returns hidden states (count, T − 1, C) of the tokens 0 … T−2 in a critic and the generator, in a team of this
 * rank's completions; the caller disposes of them
 * @returns a function of ids (count, T); `referenceLogProbs` are log p of tokens 1 … T−1 under the reference, (count, T−1)
 */
export function createRolloutScorer(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  writer: WriterModel,
  { runtime, team, keepsHidden = false }: Pick<Environment, 'runtime' | 'team'> & { readonly keepsHidden?: boolean },
) {
  const judge = judgeOf(session, model, parameters, writer);
  const T = model.block_size;
  const both = session.compile(
    (ids: tf.Tensor) => {
      const seen = readSequences(writer.model, writer.parameters, ids, writer);
      if (!keepsHidden) return { values: judge.read(ids, seen), logProbs: seen.logProbs };
      const own = readSequences(model, parameters, ids, { temperature: 1 });
      return {
        values: criticEvidence(own.logProbs, seen.logProbs),
        logProbs: seen.logProbs,
        read: { critic: withoutLast(own.hidden), writer: withoutLast(seen.hidden) },
      };
    },
    { name: 'rollout_scores', precision: readingPrecision(runtime, model) },
  );
  const scored = async (ids: TokenIds) => {
    if (ids.length === 0) return { values: new Float32Array(), logProbs: new Float32Array(), read: undefined };
    const input = tf.tensor2d(Int32Array.from(ids), [ids.length / T, T], 'int32');
    const outputs = both(input);
    const values = await valuesOf(outputs.values);
    const logProbs = await valuesOf(outputs.logProbs);
    const { read, ...numbers } = outputs;
    disposeTrees(input, numbers);
    return { values, logProbs, read };
  };
  return async (ids: TokenIds) => {
    const { first, end } = shareOf(team ?? alone, ids.length / T);
    const { read, ...own } = await scored(ids.subarray(first * T, end * T));
    const values = team ? await gatherNumbers(team, own.values) : own.values;
    const referenceLogProbs = team ? await gatherNumbers(team, own.logProbs) : own.logProbs;
    const answers: RewardAnswers = {
      fractions: () => judge.whole(values),
      evidence: judge.weighsTokens ? values : null,
    };
    return { answers, referenceLogProbs, read };
  };
}

/** (N, T, C) to (N, T−1, C) */
const withoutLast = (hidden: tf.Tensor3D): tf.Tensor => {
  const [N, T, C] = hidden.shape;
  return tf.slice(hidden, [0, 0, 0], [N, T - 1, C]);
};
