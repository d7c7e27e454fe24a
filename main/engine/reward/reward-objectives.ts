/**
 * What the reward models that learn by gradient learn from: for each kind, what a step reads of the samples, its loss,
 * and how the current parameters answer on the validation samples. The loop around it is reward.ts.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { MAX_STATE_BYTES, type RewardModelConfig } from '../../../shared/config/reward-model.js';
import { crossoversOf, naturalFraction } from './crossover.js';
import { tokenLogProbs } from '../model/layers.js';
import { rewardLogits, rewardProbabilities, trunk, type Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import {
  createRewardScorer,
  eachRow,
  hybridEvidence,
  pooledHidden,
  scoreRows,
  tokenProbabilities,
  triangle,
  type WriterModel,
} from './reward-scorer.js';
import { disposeTrees } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { mean } from '../statistics/statistics.js';
import type { Environment, RewardSamples, TokenIds } from '../types.js';

/** What a step reads of its samples, by name; each kind of reward model has its own. */
type Inputs = Readonly<Record<string, tf.Tensor>>;

export interface RewardObjective<Read extends Inputs = Inputs> {
  /** What a step on these training samples reads. */
  inputs(rows: readonly number[]): Read;
  /** Inside a compiled function; of what `inputs` gave. */
  loss(inputs: Read): tf.Scalar;
  /** P(natural) of every validation sample under the current parameters. */
  predict(): Promise<Float32Array>;
}

interface ObjectiveOptions {
  readonly session: Session;
  /** The reward model's shape; its parameters live in the session. */
  readonly model: GPTConfig;
  readonly parameters: Parameters;
  readonly config: RewardModelConfig;
  readonly trainSamples: RewardSamples;
  readonly valSamples: RewardSamples;
  /** The generator that wrote the samples; needed by `hybrid`. */
  readonly writer: WriterModel;
  readonly env: Environment;
}

/** MSE or cross-entropy between predicted and true [natural, synthetic]; both (B, 2). Result: scalar. */
export function rewardLoss(
  probabilities: tf.Tensor2D,
  targets: tf.Tensor2D,
  kind: RewardModelConfig['reward_loss'],
): tf.Scalar {
  if (kind === 'mse') return tf.mean(tf.square(tf.sub(probabilities, targets)));
  const logs = tf.log(tf.maximum(probabilities, 1e-12));
  return tf.neg(tf.mean(tf.sum(tf.mul(targets, logs), 1)));
}

/** Mean cross-entropy of the decision for each position. logits: (B, T, 2), crossovers: (B, 1) int32. */
export function tokenLoss(logits: tf.Tensor, crossovers: tf.Tensor): tf.Scalar {
  const [, T = 0] = logits.shape;
  const [natural, synthetic] = tf.unstack(tf.logSoftmax(logits), -1) as [tf.Tensor, tf.Tensor];
  const isNatural = tf.less(tf.range(0, T, 1, 'int32'), crossovers);
  return tf.neg(tf.mean(tf.where(isNatural, natural, synthetic)));
}

/** Mean −log P(true crossover | x). evidence: (B, T), crossovers: (B, 1) int32. */
export function crossoverLoss(evidence: tf.Tensor, crossovers: tf.Tensor): tf.Scalar {
  const [B = 0, T = 0] = evidence.shape;
  const read = tf.slice(evidence, [0, 1], [B, T - 1]);
  // Entry K − 1 is the sum of the evidence of tokens 1 … K − 1.
  const sums = tf.matMul(read as tf.Tensor2D, triangle(T - 1, false), false, true);
  return tf.neg(tf.mean(tokenLogProbs(sums, tf.sub(tf.reshape(crossovers, [B]), tf.scalar(1, 'int32')))));
}

export function createObjective(options: ObjectiveOptions): Promise<RewardObjective> {
  const { reward_kind: kind = 'head', reward_pooling: pooling = 'last' } = options.model;
  switch (kind) {
    case 'head':
      return options.config.reward_unfreeze === 0 && pooling !== 'attention'
        ? frozenHead(options)
        : Promise.resolve(trainedHead(options));
    case 'token':
      return tokenDecisions(options);
    case 'hybrid':
      return learnedEvidence(options);
    case 'critic':
      throw new Error('a critic is not trained here, only fitted');
  }
}

/** The specification's way. The trunk is frozen, so its pooled hidden states are computed once and only the head is run. */
async function frozenHead(
  options: ObjectiveOptions,
): Promise<RewardObjective<{ hidden: tf.Tensor2D; targets: tf.Tensor2D }>> {
  const { session, model, parameters, config, trainSamples, valSamples, env } = options;
  const C = model.n_embd;
  const features = session.compile((ids: tf.Tensor) => pooledHidden(model, parameters, trunk(model, parameters, ids)), {
    name: 'reward_features',
    precision: readingPrecision(env.runtime, model),
  });
  const answer = session.compile((pooled: tf.Tensor2D) => rewardProbabilities(parameters, pooled), {
    name: 'reward_predict',
  });
  const featuresOf = (samples: RewardSamples) => scoreRows(idsOf(samples), samples.blockSize, C, features, env);
  const training = [await featuresOf(trainSamples), targetsOf(trainSamples)] as const;
  const count = valSamples.numSamples;
  const validation = await featuresOf(valSamples);
  return {
    inputs: (rows) => ({ hidden: floats(training[0], rows, C), targets: floats(training[1], rows, 2) }),
    loss: ({ hidden, targets }) => rewardLoss(rewardProbabilities(parameters, hidden), targets, config.reward_loss),
    predict() {
      const all = tf.tensor2d(validation, [count, C]);
      const output = answer(all);
      const pairs = output.dataSync<'float32'>();
      tf.dispose([all, output]);
      return Promise.resolve(eachRow(pairs, 2, 1, (pair) => pair.subarray(0, 1)));
    },
  };
}

/** The specification's head where what it sees is learned too: blocks train along, or positions are weighed by attention. */
function trainedHead(options: ObjectiveOptions): RewardObjective<{ ids: tf.Tensor; targets: tf.Tensor2D }> {
  const { session, model, parameters, config, trainSamples, valSamples, env } = options;
  const T = model.block_size;
  const [ids, targets, heldOut] = [idsOf(trainSamples), targetsOf(trainSamples), idsOf(valSamples)];
  const scorer = createRewardScorer(session, model, parameters, env);
  return {
    inputs: (rows) => ({ ids: integers(ids, rows, T), targets: floats(targets, rows, 2) }),
    loss: (inputs) => {
      const hidden = trunk(model, parameters, inputs.ids, undefined, 'selective');
      const answers = rewardProbabilities(parameters, pooledHidden(model, parameters, hidden));
      return rewardLoss(answers, inputs.targets, config.reward_loss);
    },
    predict: () => scorer.score(heldOut),
  };
}

/** A decision for each position, by the crossover's own labels. */
async function tokenDecisions(
  options: ObjectiveOptions,
): Promise<RewardObjective<{ states: tf.Tensor; crossovers: tf.Tensor }>> {
  const { session, model, parameters, trainSamples, valSamples, env } = options;
  const T = model.block_size;
  const crossovers = crossoversOf(targetsOf(trainSamples), T);
  const [training, validation] = await statesOf(options);
  const decide = session.compile(
    ({ states }: { states: tf.Tensor }) => tokenProbabilities(parameters, training.hidden(states)),
    { name: 'reward_predict' },
  );
  return {
    inputs: (rows) => ({ states: training.of(rows), crossovers: integers(crossovers, rows, 1) }),
    loss(inputs) {
      const hidden = training.hidden(inputs.states);
      const [B, , C] = hidden.shape;
      const logits = rewardLogits(parameters, tf.reshape(hidden, [B * T, C]));
      return tokenLoss(tf.reshape(logits, [B, T, 2]), inputs.crossovers);
    },
    predict: () => eachBatch(valSamples, env, (rows) => ({ states: validation.of(rows) }), decide, mean),
  };
}

/** The critic's evidence is computed once; how far to believe it, and what a head adds to it, is learned. */
async function learnedEvidence(
  options: ObjectiveOptions,
): Promise<RewardObjective<{ states: tf.Tensor; compared: tf.Tensor; crossovers: tf.Tensor }>> {
  const { session, model, parameters, trainSamples, valSamples, writer, env } = options;
  const T = model.block_size;
  const critic = createRewardScorer(session, { ...model, reward_kind: 'critic' }, parameters, env, writer);
  const crossovers = crossoversOf(targetsOf(trainSamples), T);
  const given = (await critic.evidence?.(idsOf(trainSamples))) ?? new Float32Array();
  const heldOutGiven = (await critic.evidence?.(idsOf(valSamples))) ?? new Float32Array();
  const [training, validation] = await statesOf(options);
  const evidence = ({ states, compared }: { states: tf.Tensor; compared: tf.Tensor }) =>
    hybridEvidence(parameters, training.hidden(states), compared);
  const weigh = session.compile(evidence, { name: 'reward_predict' });
  return {
    inputs: (rows) => ({
      states: training.of(rows),
      compared: floats(given, rows, T),
      crossovers: integers(crossovers, rows, 1),
    }),
    loss: (inputs) => crossoverLoss(evidence(inputs), inputs.crossovers),
    predict: () =>
      eachBatch(
        valSamples,
        env,
        (rows) => ({ states: validation.of(rows), compared: floats(heldOutGiven, rows, T) }),
        weigh,
        (row) => naturalFraction(row, 1),
      ),
  };
}

/** What a head on every position reads of the samples: hidden states that were computed once, or ids to compute them from. */
interface States {
  of(rows: readonly number[]): tf.Tensor;
  /** Inside a compiled function: (B, T, C) from what `of` gives. */
  hidden(input: tf.Tensor): tf.Tensor3D;
}

async function statesOf(options: ObjectiveOptions): Promise<readonly [training: States, validation: States]> {
  const { session, model, parameters, config, trainSamples, valSamples, env } = options;
  const [T, C] = [model.block_size, model.n_embd];
  const bytes = 4 * (trainSamples.numSamples + valSamples.numSamples) * T * C;
  const states = (ids: tf.Tensor) => trunk(model, parameters, ids, undefined, 'selective');
  if (config.reward_unfreeze > 0 || bytes > MAX_STATE_BYTES) {
    const fromIds = (ids: TokenIds): States => ({ of: (rows) => integers(ids, rows, T), hidden: states });
    return [fromIds(idsOf(trainSamples)), fromIds(idsOf(valSamples))];
  }
  const compute = session.compile(states, {
    name: 'reward_states',
    precision: readingPrecision(env.runtime, model),
  });
  const computed = async (samples: RewardSamples): Promise<States> => {
    const all = await scoreRows(idsOf(samples), T, T * C, compute, env);
    return {
      of: (rows) => tf.tidy(() => tf.reshape(floats(all, rows, T * C), [rows.length, T, C])),
      hidden: (input) => input as tf.Tensor3D,
    };
  };
  return [await computed(trainSamples), await computed(valSamples)];
}

/** One number for each sample from a compiled function of (B, T) values, in batches of one shape. */
async function eachBatch<Read extends Inputs>(
  { numSamples }: RewardSamples,
  env: Environment,
  inputsOf: (rows: readonly number[]) => Read,
  run: (inputs: Read) => tf.Tensor,
  of: (row: Float32Array) => number,
): Promise<Float32Array> {
  const result = new Float32Array(numSamples);
  const size = Math.min(64, numSamples);
  for (let first = 0; first < numSamples; first += size) {
    // The last batch reaches back, so that all have one shape.
    const start = Math.min(first, numSamples - size);
    const inputs = inputsOf(Array.from({ length: size }, (_, i) => start + i));
    const output = run(inputs);
    const width = output.size / size;
    result.set(
      eachRow(output.dataSync<'float32'>(), width, 1, (row) => [of(row)]),
      start,
    );
    disposeTrees(inputs, output);
    await env.yieldToEventLoop();
  }
  return result;
}

const idsOf = (samples: RewardSamples): TokenIds => samples.x(0, samples.numSamples).slice();
const targetsOf = (samples: RewardSamples): Float32Array => samples.y(0, samples.numSamples).slice();

function gathered<A extends Float32Array | Int32Array>(
  values: ArrayLike<number> & { subarray(from: number, to: number): ArrayLike<number> },
  rows: readonly number[],
  width: number,
  result: A,
): A {
  rows.forEach((row, place) => {
    result.set(values.subarray(row * width, (row + 1) * width), place * width);
  });
  return result;
}

const floats = (values: Float32Array, rows: readonly number[], width: number): tf.Tensor2D =>
  tf.tensor2d(gathered(values, rows, width, new Float32Array(rows.length * width)), [rows.length, width]);

const integers = (values: TokenIds | Int32Array, rows: readonly number[], width: number): tf.Tensor =>
  tf.tensor2d(gathered(values, rows, width, new Int32Array(rows.length * width)), [rows.length, width], 'int32');
