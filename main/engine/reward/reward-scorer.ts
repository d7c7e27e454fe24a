/**
 * Scores passages and their prefixes with a reward model of either kind. A score is P(natural) of the specification's pair
 * [natural, synthetic]; the other is 1 − P(natural).
 *
 * - `head`: that of specification 5.3, a small head on the last hidden state of the generator's trunk.
 * - `critic`: the posterior over the crossover from a critic's and the generator's probabilities (crossover.ts).
 */
import * as tf from '@tensorflow/tfjs';
import { isRewardHead } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { createSharedParameters, sameArray, type Placed } from '../model/adapters.js';
import {
  createParameters,
  lastHidden,
  parameterOf,
  rewardProbabilities,
  trunk,
  type Parameters,
} from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { readSequences, sequenceLogProbs, type Reading } from '../model/sequence-scores.js';
import type { SamplingRule } from '../model/sampling-rule.js';
import type { Session } from '../runtime/types.js';
import type { Environment, NamedArrays, TokenIds } from '../types.js';
import { naturalFraction, naturalFractions } from './crossover.js';
import { eachRow, firstColumn, scoreRows } from './score-rows.js';

/** The generator that wrote the passages, in the same session, and its rule: q of the critic's evidence. */
export interface WriterModel extends SamplingRule {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
}

export interface RewardScorer {
  /** (count, block_size) ids to (count) P(natural). */
  score(ids: TokenIds): Promise<Float32Array>;
  /** Scores each prefix: value n − 1 of a row is P(natural) of its first n tokens. (count, block_size) */
  scorePrefixes(ids: TokenIds): Promise<Float32Array>;
  /** Returns log r − log q of each token, (count, block_size), the first of each row 0. Null for a head. */
  readonly evidence: ((ids: TokenIds) => Promise<Float32Array>) | null;
}

/** The parameter that scales a critic's evidence: one over the temperature of the posterior. */
export const EVIDENCE_SCALE = 'reward_evidence.weight';

/** Computes log r − log q of every token but the first. Both (B, T−1); result: (B, T), zeros first. */
export function criticEvidence(critic: tf.Tensor, writer: tf.Tensor): tf.Tensor {
  const [B = 0] = critic.shape;
  return tf.concat([tf.zeros([B, 1]), tf.sub(critic, writer)], 1);
}

/** Values that a reward model reads of passages inside a compiled function, and P(natural) from these. */
interface Judge {
  /** Values of each passage. */
  readonly width: number;
  /** (B, T) ids to (B, width). @param seen the generator's reading of them, if it is known */
  read(ids: tf.Tensor, seen?: Reading): tf.Tensor;
  /** (count, width) flat to P(natural) of (count) passages. */
  whole(values: Float32Array): Float32Array;
  /** (count, width) flat to P(natural) of every prefix, (count, T) flat; null if that needs another reading. */
  readonly prefixes: ((values: Float32Array) => Float32Array) | null;
  /** The values are evidence for each token. */
  readonly weighsTokens: boolean;
}

export function judgeOf(session: Session, model: GPTConfig, parameters: Parameters, writer?: WriterModel): Judge {
  if (model.reward_kind !== 'critic') return headJudge(model, parameters, writer);
  if (!writer) throw new Error('a critic needs the generator that wrote');
  return criticJudge(session, model, parameters, writer);
}

function headJudge(model: GPTConfig, parameters: Parameters, writer?: WriterModel): Judge {
  // A head on the generator's own trunk reads the hidden states that the generator has computed.
  const sharesTrunk =
    writer !== undefined && trunkNames(parameters).every((name) => parameters[name] === writer.parameters[name]);
  const hidden = (ids: tf.Tensor, seen?: Reading) =>
    seen && sharesTrunk ? seen.hidden : trunk(model, parameters, ids);
  return {
    width: 2,
    read: (ids, seen) => rewardProbabilities(parameters, lastHidden(hidden(ids, seen))),
    whole: firstColumn,
    prefixes: null,
    weighsTokens: false,
  };
}

function criticJudge(session: Session, model: GPTConfig, parameters: Parameters, writer: WriterModel): Judge {
  const T = model.block_size;
  const scale = () => session.read(parameterOf(parameters, EVIDENCE_SCALE))[0] ?? NaN;
  return {
    width: T,
    read(ids, seen) {
      const own = readSequences(model, parameters, ids, { temperature: 1 });
      const written = seen?.logProbs ?? sequenceLogProbs(writer.model, writer.parameters, ids, writer);
      return criticEvidence(own.logProbs, written);
    },
    whole(values) {
      const fitted = scale();
      return eachRow(values, T, 1, (row) => [naturalFraction(row, fitted)]);
    },
    prefixes(values) {
      const fitted = scale();
      return eachRow(values, T, T, (row) => naturalFractions(row, fitted));
    },
    weighsTokens: true,
  };
}

/** Compiles scoring with a reward model. @param writer required by a critic */
export function createRewardScorer(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  env: Environment,
  writer?: WriterModel,
): RewardScorer {
  const T = model.block_size;
  const judge = judgeOf(session, model, parameters, writer);
  const precision = readingPrecision(env.runtime, model);
  const rows = (width: number, name: string, run: (ids: tf.Tensor) => tf.Tensor) => {
    const compiled = session.compile((ids: tf.Tensor) => run(ids), { name, precision });
    return (ids: TokenIds) => scoreRows(ids, T, width, compiled, env);
  };
  const read = rows(judge.width, 'reward_score', (ids) => judge.read(ids));
  const { prefixes } = judge;
  return {
    score: async (ids) => judge.whole(await read(ids)),
    scorePrefixes: prefixes
      ? async (ids) => prefixes(await read(ids))
      : rows(T, 'reward_score_prefixes', (ids) => headPrefixes(model, parameters, ids)),
    evidence: judge.weighsTokens ? read : null,
  };
}

/** Computes the head's P(natural) of each prefix: the trunk is causal, so each hidden state is the last of one. (B, T) to (B, T) */
function headPrefixes(model: GPTConfig, parameters: Parameters, ids: tf.Tensor): tf.Tensor2D {
  const hidden = trunk(model, parameters, ids);
  const [B, T, C] = hidden.shape;
  const pairs = rewardProbabilities(parameters, tf.reshape(hidden, [B * T, C]));
  return tf.reshape(tf.slice(pairs, [0, 0], [B * T, 1]), [B, T]);
}

const isTrunk = (name: string): boolean => !isRewardHead(name);
const trunkNames = (weights: object): string[] => Object.keys(weights).filter(isTrunk);

/**
 * Creates a reward model's parameters next to its generator's, and shares what is the same: the whole trunk of the specification's
 * reward model, or the frozen part of a trunk with adapters of its own.
 */
export function createRewardParameters(
  session: Session,
  model: GPTConfig,
  weights: NamedArrays,
  generator: Placed,
): Parameters {
  const shared = trunkNames(weights).every((name) => sameArray(weights[name], generator.weights[name]));
  if (!shared) return createSharedParameters(session, model, weights, 'reward.', generator);
  const own = Object.fromEntries(Object.entries(weights).filter(([name]) => !isTrunk(name)));
  return {
    ...createParameters(session, own, 'reward.'),
    ...Object.fromEntries(Object.entries(generator.parameters).filter(([name]) => isTrunk(name))),
  };
}
