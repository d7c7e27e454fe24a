/**
 * The reward model (seed 000, part 4, step 2): the generator's trunk with a small head on the last position, trained to
 * say what fraction of a passage is natural. The trunk stays frozen, so its hidden states are computed once and only
 * the head is trained on them; with `reward_unfreeze` the last blocks train along.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../shared/config/model.js';
import type { RewardModelConfig } from '../../shared/config/reward-model.js';
import { initialEarlyStopping, updateEarlyStopping, type EarlyStoppingState } from './early-stopping.js';
import {
  createParameters,
  initialWeights,
  lastHidden,
  readParameters,
  rewardProbabilities,
  trunk,
  type Parameters,
} from './model.js';
import { selectPrefix, withPrefix } from './named-arrays.js';
import { adamW, createMoments, gradientsOf, readMoments, stepScalars, type AdamWConfig } from './optimizer.js';
import { createProgress } from './progress.js';
import { judgeRewardModel, type RewardReport } from './reward-report.js';
import { permutation, streams } from './rng.js';
import type { Session } from './runtime/types.js';
import { diverged, stopped } from './train.js';
import type { CheckpointSlot, Environment, NamedArrays, RewardSamples } from './types.js';

const BEST = 'best.';

/** Rows scored together; any number gives the same results up to rounding. */
const SCORING_BATCH = 64;

export interface RewardModelResult {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly report: RewardReport;
}

export interface RewardModelOptions {
  /** The generator's shape and weights, from which the reward model begins. */
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly trainSamples: RewardSamples;
  readonly valSamples: RewardSamples;
  readonly config: RewardModelConfig;
  readonly seed: number;
  readonly slot: CheckpointSlot;
  readonly env: Environment;
}

/** Names of the parameters that train: the head, and the last `unfreeze` blocks with what comes after them. */
export function trainedNames(config: GPTConfig, unfreeze: number, names: readonly string[]): string[] {
  const first = Math.max(0, config.n_layer - unfreeze);
  return names.filter((name) => {
    if (name.startsWith('reward_head.')) return true;
    if (unfreeze === 0) return false;
    if (name.startsWith('transformer.ln_f.')) return true;
    const block = /^transformer\.h\.(\d+)\./.exec(name)?.[1];
    return block !== undefined && Number(block) >= first;
  });
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

/** The fraction a reward model calls natural, for whole passages. */
export interface RewardScorer {
  /** ids: (count, block_size), row by row; result: (count) P(natural). */
  score(ids: Uint16Array): Promise<Float32Array>;
}

/** Compiles scoring with a reward model whose parameters live in `session`. */
export function createRewardScorer(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  env: Environment,
): RewardScorer {
  const scoreBatch = session.compile(
    (ids: tf.Tensor) => [rewardProbabilities(parameters, lastHidden(trunk(model, parameters, ids)))],
    { name: 'reward_score' },
  );
  return {
    async score(ids) {
      const rows = await scoreRows(ids, model.block_size, 2, scoreBatch, env);
      return Float32Array.from({ length: rows.length / 2 }, (_, row) => rows[row * 2] ?? NaN);
    },
  };
}

/** Runs a compiled function over rows of ids in batches of one shape; result: (count, width) flat. */
async function scoreRows(
  ids: Uint16Array,
  blockSize: number,
  width: number,
  run: (ids: tf.Tensor) => readonly [tf.Tensor],
  env: Environment,
): Promise<Float32Array> {
  const count = ids.length / blockSize;
  const result = new Float32Array(count * width);
  for (let first = 0; first < count; first += SCORING_BATCH) {
    const rows = Math.min(SCORING_BATCH, count - first);
    const batch = new Int32Array(SCORING_BATCH * blockSize);
    batch.set(ids.subarray(first * blockSize, (first + rows) * blockSize));
    const input = tf.tensor2d(batch, [SCORING_BATCH, blockSize]);
    const [output] = run(input);
    result.set((output.dataSync() as Float32Array).subarray(0, rows * width), first * width);
    tf.dispose([input, output]);
    await env.breathe();
  }
  return result;
}

/** What a training step reads: hidden states (B, C) of a frozen trunk, or ids (B, T) where blocks train along. */
interface StepSource {
  readonly width: number;
  batch(rows: readonly number[]): tf.Tensor;
  /** P(natural) of every sample, from the same inputs. */
  predict(): Promise<Float32Array>;
}

/** A type, not an interface, so that it is JSON for the checkpoint. */
type RewardState = {
  readonly step: number;
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  readonly finished: 'max_iters' | 'patience' | null;
};

/** Trains a reward model and judges it on the validation samples. */
export async function trainRewardModel(options: RewardModelOptions): Promise<RewardModelResult> {
  const { trainSamples, valSamples, config, seed, slot, env } = options;
  const model: GPTConfig = { ...options.model, mode: 'reward', dropout: 0 };
  const saved = await slot.latest();
  const session = env.runtime.createSession();
  try {
    const begin = saved?.weights ?? initialWeights(model, seed, options.weights);
    const parameters = createParameters(session, begin);
    const names = trainedNames(model, config.reward_unfreeze, Object.keys(parameters));
    const trained: Parameters = Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)));
    const frozen = config.reward_unfreeze === 0;

    const adam: AdamWConfig = { beta1: 0.9, beta2: 0.999, weightDecay: config.reward_weight_decay, gradClip: 0 };
    const moments = createMoments(session, trained, saved?.optimizer);
    const pooled = (input: tf.Tensor): tf.Tensor2D =>
      frozen ? (input as tf.Tensor2D) : lastHidden(trunk(model, parameters, input));
    const trainStep = session.compile(
      (input: tf.Tensor, targets: tf.Tensor, scalars: tf.Tensor) => {
        const { value, gradients } = gradientsOf(
          () => rewardLoss(rewardProbabilities(parameters, pooled(input)), targets as tf.Tensor2D, config.reward_loss),
          trained,
        );
        return [value, adamW(trained, gradients, moments, scalars as tf.Tensor1D, adam)];
      },
      { name: 'reward_step' },
    );
    const predictBatch = session.compile((input: tf.Tensor) => [rewardProbabilities(parameters, pooled(input))], {
      name: 'reward_predict',
    });

    const source = async (samples: RewardSamples): Promise<StepSource> => {
      const ids = samples.x(0, samples.numSamples);
      const T = samples.blockSize;
      if (!frozen) {
        const rowOf = (row: number) => ids.subarray(row * T, (row + 1) * T);
        return {
          width: T,
          batch: (rows) => tf.tensor2d(gather(rows, T, rowOf, Int32Array), [rows.length, T], 'int32'),
          predict: async () => firstColumn(await scoreRows(ids, T, 2, predictBatch, env)),
        };
      }
      const C = model.n_embd;
      const hiddenBatch = session.compile((input: tf.Tensor) => [lastHidden(trunk(model, parameters, input))], {
        name: 'reward_features',
      });
      const features = await scoreRows(ids, T, C, hiddenBatch, env);
      const rowOf = (row: number) => features.subarray(row * C, (row + 1) * C);
      const count = samples.numSamples;
      return {
        width: C,
        batch: (rows) => tf.tensor2d(gather(rows, C, rowOf, Float32Array), [rows.length, C]),
        predict: () => {
          const all = tf.tensor2d(features, [count, C]);
          const [output] = predictBatch(all);
          const values = firstColumn(output.dataSync() as Float32Array);
          tf.dispose([all, output]);
          return Promise.resolve(values);
        },
      };
    };
    const training = await source(trainSamples);
    const validation = await source(valSamples);
    const targets = trainSamples.y(0, trainSamples.numSamples).slice();
    const truth = firstColumn(valSamples.y(0, valSamples.numSamples));

    let state: RewardState = (saved?.state as RewardState | undefined) ?? {
      step: 0,
      bestStep: 0,
      stopping: initialEarlyStopping,
      finished: null,
    };
    let best = selectPrefix(saved?.optimizer ?? {}, BEST) ?? readParameters(session, trained);
    const save = () =>
      slot.save(
        {
          weights: { ...begin, ...readParameters(session, trained) },
          optimizer: { ...readMoments(session, moments), ...withPrefix(best, BEST) },
          state,
        },
        state.step,
      );
    const progress = createProgress(env, 'reward_model', 'steps', config.reward_max_iters);
    const batches = createEpochs(trainSamples.numSamples, config.reward_batch_size, seed);

    while (state.finished === null && state.step < config.reward_max_iters) {
      if (env.stop.requested) {
        await save();
        throw stopped(state.step);
      }
      const rows = batches(state.step);
      const input = training.batch(rows);
      const wanted = tf.tensor2d(
        gather(rows, 2, (row) => targets.subarray(row * 2, row * 2 + 2), Float32Array),
        [rows.length, 2],
      );
      const scalars = tf.tensor1d(stepScalars(state.step + 1, config.reward_learning_rate, adam));
      const [lossTensor, normTensor] = trainStep(input, wanted, scalars);
      const loss = lossTensor.dataSync()[0] ?? NaN;
      tf.dispose([input, wanted, scalars, lossTensor, normTensor]);
      if (!Number.isFinite(loss)) throw diverged(state.step + 1, false);
      state = { ...state, step: state.step + 1 };
      progress.update(state.step, `loss ${loss.toFixed(4)}`);

      if (state.step % config.reward_eval_interval === 0 || state.step === config.reward_max_iters) {
        const predictions = await validation.predict();
        const valLoss = lossOf(predictions, truth, config.reward_loss);
        const update = updateEarlyStopping(
          {
            patience: config.reward_patience,
            minDelta: config.reward_min_delta,
            better: 'lower',
          },
          state.stopping,
          valLoss,
        );
        if (update.isBest) best = readParameters(session, trained);
        state = {
          ...state,
          stopping: update.state,
          bestStep: update.isBest ? state.step : state.bestStep,
          finished: update.stop ? 'patience' : state.step === config.reward_max_iters ? 'max_iters' : null,
        };
        env.emit({ event: 'metrics', phase: 'reward_model', step: state.step, values: { loss, val_loss: valLoss } });
        await save();
      }
      await env.breathe();
    }
    for (const [name, { data }] of Object.entries(best)) {
      const variable = trained[name];
      if (variable) session.write(variable, data);
    }
    const predictions = await validation.predict();
    const report = judgeRewardModel(predictions, truth, {
      seed,
      iterations: state.step,
      bestIteration: state.bestStep,
      stoppedBecause: state.finished ?? 'max_iters',
    });
    return { model, weights: { ...begin, ...best }, report };
  } finally {
    session.dispose();
  }
}

/** Rows of each step: the samples in a new random order every epoch, the short rest of an epoch left out. */
function createEpochs(count: number, batchSize: number, seed: number): (step: number) => number[] {
  const size = Math.min(batchSize, count);
  const perEpoch = Math.floor(count / size);
  let cached: { readonly epoch: number; readonly order: Uint32Array } | undefined;
  return (step) => {
    const epoch = Math.floor(step / perEpoch);
    if (cached?.epoch !== epoch) cached = { epoch, order: permutation(seed, streams.rewardBatch, epoch, count) };
    const first = (step % perEpoch) * size;
    return Array.from(cached.order.subarray(first, first + size));
  };
}

function gather<A extends Float32Array | Int32Array>(
  rows: readonly number[],
  width: number,
  rowOf: (row: number) => ArrayLike<number>,
  Type: new (length: number) => A,
): A {
  const result = new Type(rows.length * width);
  rows.forEach((row, place) => {
    result.set(rowOf(row), place * width);
  });
  return result;
}

const firstColumn = (pairs: Float32Array): Float32Array =>
  Float32Array.from({ length: pairs.length / 2 }, (_, row) => pairs[row * 2] ?? NaN);

function lossOf(predictions: Float32Array, truth: Float32Array, kind: RewardModelConfig['reward_loss']): number {
  let sum = 0;
  for (let row = 0; row < truth.length; row++) {
    const p = predictions[row] ?? NaN;
    const t = truth[row] ?? NaN;
    sum +=
      kind === 'mse' ? (p - t) ** 2 : -(t * Math.log(Math.max(p, 1e-12)) + (1 - t) * Math.log(Math.max(1 - p, 1e-12)));
  }
  return sum / truth.length;
}
