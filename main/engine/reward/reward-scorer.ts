/**
 * The one interface to reward models of every kind: how natural whole passages are, and each of their beginnings.
 * All answers are P(natural) of the specification's pair [natural, synthetic]; the other is 1 − P(natural).
 *
 * - `head`: the one of specification 5.3: a small head on pooled hidden states of the generator's trunk.
 * - `token`: the same head on every position says whether that token is natural; the fraction is the mean.
 * - `critic`: the posterior over the crossover from a critic's and the generator's probabilities (crossover.ts).
 * - `hybrid`: the same, with evidence that a head on the critic's hidden states adds for each token.
 */
import * as tf from '@tensorflow/tfjs';
import { isRewardHead } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { SCORING_BATCHES } from '../../../shared/config/reward-model.js';
import { naturalFraction, naturalFractions } from './crossover.js';
import { createBeside, sameArray, type Placed } from '../model/adapters.js';
import {
  createParameters,
  lastHidden,
  parameterOf,
  rewardLogits,
  rewardProbabilities,
  trunk,
  type Parameters,
} from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { readSequences, sequenceLogProbs, type Reading } from '../model/sequence-scores.js';
import { disposeTrees } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { alone, gatherNumbers, shareOf } from '../team.js';
import type { Environment, NamedArrays, TokenIds } from '../types.js';

/** What wrote the passages, in the same session: q of the critic's evidence. */
export interface WriterModel {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
  readonly temperature: number;
}

export interface RewardScorer {
  /** ids: (count, block_size), row by row; result: (count) P(natural). */
  score(ids: TokenIds): Promise<Float32Array>;
  /** P(natural) of each beginning: value n − 1 of a row is that of its first n tokens. (count, block_size) */
  scorePrefixes(ids: TokenIds): Promise<Float32Array>;
  /**
   * Nats that each token speaks for natural text: log r − log q, and what a hybrid has learned. (count, block_size), the
   * first of each row 0. Null for kinds that do not weigh tokens.
   */
  readonly evidence: ((ids: TokenIds) => Promise<Float32Array>) | null;
}

/** Hidden states summed up for the specification's head. (B, T, C) to (B, C) */
export function pooledHidden(model: GPTConfig, parameters: Parameters, hidden: tf.Tensor3D): tf.Tensor2D {
  const { reward_pooling: pooling = 'last' } = model;
  switch (pooling) {
    case 'last':
      return lastHidden(hidden);
    case 'mean':
      return tf.mean(hidden, 1);
    case 'attention': {
      const [B, T, C] = hidden.shape;
      const query = parameterOf(parameters, 'reward_head.query') as tf.Tensor as tf.Tensor2D; // (C, 1)
      const scores = tf.reshape(tf.matMul(tf.reshape(hidden, [-1, C]), query), [B, T]);
      const weights = tf.softmax(tf.mul(scores, 1 / Math.sqrt(C)));
      return tf.sum(tf.mul(hidden, tf.reshape(weights, [B, T, 1])), 1);
    }
  }
}

/** log r − log q of every token but the first. Both (B, T−1); result: (B, T), zeros first. */
function criticEvidence(critic: tf.Tensor, writer: tf.Tensor): tf.Tensor {
  const [B = 0] = critic.shape;
  return tf.concat([tf.zeros([B, 1]), tf.sub(critic, writer)], 1);
}

/** Adds to scaled evidence what the hybrid's head reads in the critic's hidden states. Both (B, T). */
export function hybridEvidence(parameters: Parameters, hidden: tf.Tensor3D, evidence: tf.Tensor): tf.Tensor {
  const [B, T, C] = hidden.shape;
  const logits = rewardLogits(parameters, tf.reshape(hidden, [B * T, C])); // (B T, 2)
  const [natural, synthetic] = tf.unstack(logits, 1) as [tf.Tensor, tf.Tensor];
  const learned = tf.reshape(tf.sub(natural, synthetic), [B, T]);
  return tf.add(tf.mul(evidence, parameterOf(parameters, 'reward_evidence.weight')), learned);
}

/** P(natural) of every position by the head. (B, T, C) to (B, T) */
export function tokenProbabilities(parameters: Parameters, hidden: tf.Tensor3D): tf.Tensor2D {
  const [B, T, C] = hidden.shape;
  const pairs = rewardProbabilities(parameters, tf.reshape(hidden, [B * T, C]));
  return tf.reshape(tf.slice(pairs, [0, 0], [B * T, 1]), [B, T]);
}

/** A reward model of one kind: what it reads of passages inside a compiled function, and what that says. */
interface Judge {
  /** Numbers for each passage. */
  readonly width: number;
  /** (B, T) ids to (B, width). `seen`: what the writer computes of them, where that is known already. */
  read(ids: tf.Tensor, seen?: Reading): tf.Tensor;
  /** (count, width) flat to P(natural) of (count) passages. */
  whole(values: Float32Array): Float32Array;
  /** (count, width) flat to P(natural) of every beginning, (count, T) flat; null where more has to be read. */
  readonly prefixes: ((values: Float32Array) => Float32Array) | null;
  /** Whether what is read is evidence for each token. */
  readonly weighsTokens: boolean;
}

function judgeOf(session: Session, model: GPTConfig, parameters: Parameters, writer?: WriterModel): Judge {
  const { reward_kind: kind = 'head' } = model;
  const T = model.block_size;
  // A reward model on the writer's own trunk, where that has been computed, needs no pass of its own.
  const sharesTrunk = writer !== undefined && trunkNames(parameters).every(isWriters);
  function isWriters(name: string) {
    return parameters[name] === writer?.parameters[name];
  }
  const hidden = (ids: tf.Tensor, seen?: Reading) =>
    seen && sharesTrunk ? seen.hidden : trunk(model, parameters, ids);
  switch (kind) {
    case 'head':
      return {
        width: 2,
        read: (ids, seen) => rewardProbabilities(parameters, pooledHidden(model, parameters, hidden(ids, seen))),
        whole: firstColumn,
        prefixes: null,
        weighsTokens: false,
      };
    case 'token': {
      const prefixes = (values: Float32Array) => eachRow(values, T, T, runningMean);
      return {
        width: T,
        read: (ids, seen) => tokenProbabilities(parameters, hidden(ids, seen)),
        whole: (values) => lastColumn(prefixes(values), T),
        prefixes,
        weighsTokens: false,
      };
    }
    case 'critic':
    case 'hybrid': {
      if (!writer) throw new Error(`a reward model of kind ${kind} needs the generator that wrote`);
      const scale = () =>
        kind === 'critic' ? (session.read(parameterOf(parameters, 'reward_evidence.weight'))[0] ?? NaN) : 1;
      return {
        width: T,
        read(ids, seen) {
          const own = readSequences(model, parameters, ids, 1);
          const written = seen?.logProbs ?? sequenceLogProbs(writer.model, writer.parameters, ids, writer.temperature);
          const compared = criticEvidence(own.logProbs, written);
          return kind === 'critic' ? compared : hybridEvidence(parameters, own.hidden, compared);
        },
        whole(values) {
          const believed = scale();
          return eachRow(values, T, 1, (row) => [naturalFraction(row, believed)]);
        },
        prefixes(values) {
          const believed = scale();
          return eachRow(values, T, T, (row) => naturalFractions(row, believed));
        },
        weighsTokens: true,
      };
    }
  }
}

/**
 * Compiles scoring with a reward model whose parameters live in `session`.
 * @param writer what wrote the passages; needed by the kinds that compare it with a critic
 */
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

/** What a batch of completions is learned from, besides itself. */
interface ScoredRollouts {
  /** What the reward model says of them. */
  readonly rewards: Pick<RewardScorer, 'score' | 'evidence'>;
  /** log p of tokens 1 … T−1 under the writer, (count, T−1): the reference's. */
  readonly writerLogProbs: Float32Array;
  /**
   * Hidden states (count, T − 1, C) of the tokens 0 … T−2 in both networks, where they are asked for; of a team, of this
   * rank's part of the completions. The caller's to dispose.
   */
  readonly read?: { readonly critic: tf.Tensor; readonly writer: tf.Tensor } | undefined;
}

/**
 * Compiles scoring for GRPO: each network reads the completions once, the reward model and the generator that this cycle
 * began with, which is both the reference and what a critic is compared with. In one call, always of the same size.
 * @param keepsHidden for a reward model of kind critic: its hidden states and the writer's are given too
 */
export function createRolloutScorer(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  writer: WriterModel,
  { runtime, team, keepsHidden = false }: Pick<Environment, 'runtime' | 'team'> & { readonly keepsHidden?: boolean },
): (ids: TokenIds) => Promise<ScoredRollouts> {
  const judge = judgeOf(session, model, parameters, writer);
  const T = model.block_size;
  const both = session.compile(
    (ids: tf.Tensor) => {
      const seen = readSequences(writer.model, writer.parameters, ids, writer.temperature);
      if (!keepsHidden) return { values: judge.read(ids, seen), writerLogProbs: seen.logProbs };
      const own = readSequences(model, parameters, ids, 1);
      return {
        values: criticEvidence(own.logProbs, seen.logProbs),
        writerLogProbs: seen.logProbs,
        read: { critic: beforeLast(own.hidden), writer: beforeLast(seen.hidden) },
      };
    },
    { name: 'rollout_scores', precision: readingPrecision(runtime, model) },
  );
  const scored = (ids: TokenIds) => {
    if (ids.length === 0) return { values: new Float32Array(), writerLogProbs: new Float32Array(), read: undefined };
    const input = tf.tensor2d(Int32Array.from(ids), [ids.length / T, T], 'int32');
    const outputs = both(input);
    const values = outputs.values.dataSync<'float32'>();
    const writerLogProbs = outputs.writerLogProbs.dataSync<'float32'>();
    const { read, ...numbers } = outputs;
    disposeTrees(input, numbers);
    return { values, writerLogProbs, read };
  };
  return async (ids) => {
    const { first, end } = shareOf(team ?? alone, ids.length / T);
    const { read, ...own } = scored(ids.subarray(first * T, end * T));
    const values = team ? await gatherNumbers(team, own.values) : own.values;
    const writerLogProbs = team ? await gatherNumbers(team, own.writerLogProbs) : own.writerLogProbs;
    return {
      read,
      rewards: {
        score: () => Promise.resolve(judge.whole(values)),
        evidence: judge.weighsTokens ? () => Promise.resolve(values) : null,
      },
      writerLogProbs,
    };
  };
}

/** Those of all tokens but the last. (N, T, C) to (N, T−1, C) */
const beforeLast = (hidden: tf.Tensor3D): tf.Tensor => {
  const [N, T, C] = hidden.shape;
  return tf.slice(hidden, [0, 0, 0], [N, T - 1, C]);
};

const isTrunk = (name: string): boolean => !isRewardHead(name);
const trunkNames = (weights: object): string[] => Object.keys(weights).filter(isTrunk);

/**
 * A reward model's parameters beside those of the generator it judges. A trunk that is the generator's, as the specification's
 * reward model has it, is taken from there, neither kept nor computed twice; of one with adapters of its own, what is frozen.
 */
export function createRewardParameters(
  session: Session,
  model: GPTConfig,
  weights: NamedArrays,
  generator: Placed,
): Parameters {
  const shared = trunkNames(weights).every((name) => sameArray(weights[name], generator.weights[name]));
  if (!shared) return createBeside(session, model, weights, 'reward.', generator);
  const own = Object.fromEntries(Object.entries(weights).filter(([name]) => !isTrunk(name)));
  return {
    ...createParameters(session, own, 'reward.'),
    ...Object.fromEntries(Object.entries(generator.parameters).filter(([name]) => isTrunk(name))),
  };
}

/** The head's answer for each beginning: what is pooled is pooled up to there. (B, T) ids to (B, T) */
function headPrefixes(model: GPTConfig, parameters: Parameters, ids: tf.Tensor): tf.Tensor {
  const hidden = trunk(model, parameters, ids);
  const [B, T, C] = hidden.shape;
  const { reward_pooling: pooling = 'last' } = model;
  if (pooling === 'last') return tokenProbabilities(parameters, hidden);
  const weights =
    pooling === 'mean'
      ? tf.ones([B, T, 1])
      : tf
          .exp(
            tf.mul(
              tf.matMul(tf.reshape(hidden, [-1, C]), parameterOf(parameters, 'reward_head.query') as tf.Tensor2D),
              1 / Math.sqrt(C),
            ),
          )
          .reshape([B, T, 1]);
  // Sums up to each position, as a product with a triangle of ones.
  const upTo = tf.tile(tf.expandDims(triangle(T, true), 0), [B, 1, 1]); // (B, T, T)
  const sums = tf.matMul(upTo, tf.mul(hidden, weights));
  return tokenProbabilities(parameters, tf.div(sums, tf.matMul(upTo, weights)) as tf.Tensor3D);
}

/** Row t has ones up to column t, itself included or not. (T, T) */
export function triangle(T: number, inclusive: boolean): tf.Tensor2D {
  const values = new Float32Array(T * T);
  for (let row = 0; row < T; row++) values.fill(1, row * T, row * T + row + (inclusive ? 1 : 0));
  return tf.tensor2d(values, [T, T]);
}

/**
 * Runs a compiled function over rows of ids in batches of one shape; result: (count, width) flat. Of a team, each rank has
 * its part of the rows, and all have the result.
 */
export async function scoreRows(
  ids: TokenIds,
  blockSize: number,
  width: number,
  run: (ids: tf.Tensor) => tf.Tensor,
  env: Environment,
): Promise<Float32Array> {
  const { team } = env;
  if (!team) return scoreOwnRows(ids, blockSize, width, run, env);
  const { first, end } = shareOf(team, ids.length / blockSize);
  const own = ids.subarray(first * blockSize, end * blockSize);
  return gatherNumbers(team, await scoreOwnRows(own, blockSize, width, run, env));
}

async function scoreOwnRows(
  ids: TokenIds,
  blockSize: number,
  width: number,
  run: (ids: tf.Tensor) => tf.Tensor,
  env: Environment,
): Promise<Float32Array> {
  const count = ids.length / blockSize;
  const result = new Float32Array(count * width);
  const size = SCORING_BATCHES.find((rows) => rows >= count) ?? SCORING_BATCHES[1];
  for (let first = 0; first < count; first += size) {
    const rows = Math.min(size, count - first);
    const batch = new Int32Array(size * blockSize);
    batch.set(ids.subarray(first * blockSize, (first + rows) * blockSize));
    const input = tf.tensor2d(batch, [size, blockSize]);
    const output = run(input);
    result.set(output.dataSync<'float32'>().subarray(0, rows * width), first * width);
    tf.dispose([input, output]);
    await env.yieldToEventLoop();
  }
  return result;
}

/** (count, width) flat to (count, resultWidth) flat, row by row. */
export function eachRow(
  values: Float32Array,
  width: number,
  resultWidth: number,
  of: (row: Float32Array) => ArrayLike<number>,
): Float32Array {
  const count = values.length / width;
  const result = new Float32Array(count * resultWidth);
  for (let row = 0; row < count; row++) {
    result.set(of(values.subarray(row * width, (row + 1) * width)), row * resultWidth);
  }
  return result;
}

function runningMean(values: Float32Array): Float64Array {
  let sum = 0;
  return Float64Array.from(values, (value, i) => (sum += value) / (i + 1));
}

export const firstColumn = (pairs: Float32Array): Float32Array =>
  Float32Array.from({ length: pairs.length / 2 }, (_, row) => pairs[row * 2] ?? NaN);

const lastColumn = (values: Float32Array, width: number): Float32Array =>
  Float32Array.from({ length: values.length / width }, (_, row) => values[(row + 1) * width - 1] ?? NaN);
