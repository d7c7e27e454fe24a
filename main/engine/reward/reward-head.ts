/**
 * The specification's head (5.3): a small network on the generator's frozen trunk, trained by the mean squared error of the natural
 * fraction. The trunk's last hidden states are computed once; only the head runs in a step.
 */
import { localized } from '../../../shared/messages/message.js';
import * as tf from '@tensorflow/tfjs';
import { isRewardHead } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { rewardTraining, type RewardModelConfig } from '../../../shared/config/reward-model.js';
import { frozenOf, trainedOf } from '../model/adapters.js';
import {
  createParameters,
  lastHidden,
  readOnDemand,
  rewardProbabilities,
  trunk,
  writeParameters,
  type Parameters,
} from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { permutation, streams } from '../rng.js';
import { disposeTrees, takeScalars } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { meanSquaredError } from '../statistics/statistics.js';
import { asFirstHas } from '../team.js';
import { diagnoseDivergence } from '../train/divergence.js';
import { initialEarlyStopping, recordEvaluation, type StoppableState } from '../train/early-stopping.js';
import { gradientsOf } from '../train/gradients.js';
import { createAdamW } from '../train/optimizer.js';
import type { StepResult, TrainingPhase } from '../train/phase.js';
import type { Checkpoint, LanguageModel, NamedArrays, RewardSamples } from '../types.js';
import { judgeRewardModel } from './reward-report.js';
import { truthOf, type RewardModelOptions, type RewardModelResult } from './reward-types.js';
import { firstColumn, scoreRows } from './score-rows.js';
import { valuesOf } from '../runtime/reading.js';

/** @param start the generator's trunk with a new head */
export async function headTraining(
  options: RewardModelOptions,
  start: LanguageModel,
  session: Session,
  saved: Checkpoint | null,
): Promise<TrainingPhase<StoppableState, RewardModelConfig, StepResult, RewardModelResult>> {
  const { valSamples, config, seed, env } = options;
  const { model } = start;
  const begin = { ...start.weights, ...saved?.weights };
  const frozen = frozenOf(model, begin);
  const parameters = createParameters(session, begin);
  const trained = Object.fromEntries(Object.entries(parameters).filter(([name]) => isRewardHead(name)));
  const head = await createHead(session, model, parameters, options);
  const update = createHeadStep(session, trained, head, options, saved?.optimizer);
  const truth = truthOf(valSamples);
  // Steps are small: every rank of a team takes all of them and exchanges only predictions, which decide.
  const predict = async () => asFirstHas(env.team, await head.predict());
  const { evalInterval, patience, minDelta } = rewardTraining;
  const rule = { patience, minDelta, better: 'lower' } as const;

  return {
    name: 'reward_model',
    config,
    initialState: () => ({ step: 0, bestStep: 0, stopping: initialEarlyStopping, finished: null }),
    arrays: () => ({
      weights: { ...trainedOf(model, begin), ...readOnDemand(session, trained) },
      optimizer: update.optimizer.read(),
    }),
    maxSteps: ({ reward_max_iters }) => reward_max_iters,
    step: ({ step }) => update.take(step),
    advance: (state) => ({ ...state, step: state.step + 1 }),
    evaluation: {
      interval: evalInterval,
      async measure() {
        const loss = meanSquaredError(await predict(), truth);
        return { loss, row: { val_loss: loss } };
      },
      stopping: { weights: trained, record: (state, loss, last) => recordEvaluation(rule, state, loss, last) },
    },
    logInterval: () => evalInterval,
    row: ({ loss }, measured) => ({ loss, ...measured }),
    describe: ({ loss }) => localized('reward_model.progress', { loss }),
    explain: ({ loss }, latest) =>
      diagnoseDivergence({
        model,
        weights: { ...frozen, ...(latest?.weights ?? start.weights) },
        loss,
        moments: update.optimizer.read(),
      }),
    async finish({ state, best }) {
      writeParameters(session, trained, best);
      const predictions = await predict();
      const report = judgeRewardModel(predictions, truth, seed, {
        kind: 'head',
        evidence_scale: null,
        iterations: state.step,
        best_iteration: state.bestStep,
        stopped_because: state.finished ?? 'max_iters',
      });
      return { model, weights: { ...begin, ...best }, report, predictions };
    },
  };
}

/** A type, so that it is a tree of tensors. */
type HeadBatch = { readonly hidden: tf.Tensor2D; readonly targets: tf.Tensor2D };

/** Computes the mean squared error between predicted and true [natural, synthetic]; both (B, 2). */
export const rewardLoss = (probabilities: tf.Tensor2D, targets: tf.Tensor2D): tf.Scalar =>
  tf.mean(tf.square(tf.sub(probabilities, targets)));

async function createHead(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  { trainSamples, valSamples, env }: Pick<RewardModelOptions, 'trainSamples' | 'valSamples' | 'env'>,
) {
  const C = model.n_embd;
  const features = session.compile((ids: tf.Tensor) => lastHidden(trunk(model, parameters, ids)), {
    name: 'reward_features',
    precision: readingPrecision(env.runtime, model),
  });
  const answer = session.compile((hidden: tf.Tensor2D) => rewardProbabilities(parameters, hidden), {
    name: 'reward_predict',
  });
  const [training, validation] = [await featuresOf(trainSamples), await featuresOf(valSamples)];
  const targets = trainSamples.y(0, trainSamples.numSamples).slice();

  function featuresOf(samples: RewardSamples): Promise<Float32Array> {
    return scoreRows(samples.x(0, samples.numSamples).slice(), samples.blockSize, C, features, env);
  }
  return {
    /** Uploads training samples; the caller disposes of them. */
    inputs: (rows: readonly number[]): HeadBatch => ({
      hidden: rowsOf(training, rows, C),
      targets: rowsOf(targets, rows, 2),
    }),
    /** To call inside a compiled function. */
    loss: ({ hidden, targets: truth }: HeadBatch) => rewardLoss(rewardProbabilities(parameters, hidden), truth),
    /** Returns P(natural) of every validation sample. */
    async predict(): Promise<Float32Array> {
      const all = tf.tensor2d(validation, [valSamples.numSamples, C]);
      const output = answer(all);
      const pairs = await valuesOf(output);
      tf.dispose([all, output]);
      return firstColumn(pairs);
    },
  };
}

function createHeadStep(
  session: Session,
  trained: Parameters,
  head: Awaited<ReturnType<typeof createHead>>,
  { trainSamples, config, seed }: RewardModelOptions,
  saved: NamedArrays | undefined,
) {
  const optimizer = createAdamW(session, trained, { weightDecay: 0, gradClip: 0 }, saved);
  const update = session.compile(
    (inputs: HeadBatch, scalars: tf.Tensor) => {
      const { value, gradients } = gradientsOf(() => head.loss(inputs), trained);
      return { loss: value, gradNorm: optimizer.apply(gradients, scalars) };
    },
    { name: 'reward_step' },
  );
  const batches = createEpochs(trainSamples.numSamples, rewardTraining.batchSize, seed);
  return {
    optimizer,
    async take(step: number): Promise<StepResult> {
      const inputs = head.inputs(batches(step));
      const scalars = optimizer.scalars(step + 1, config.reward_learning_rate);
      const numbers = await takeScalars(update(inputs, scalars));
      disposeTrees(inputs, scalars);
      return numbers;
    },
  };
}

/** Returns the rows of each step: every epoch a new random order, without the short last batch. */
function createEpochs(count: number, batchSize: number, seed: number): (step: number) => number[] {
  const size = Math.min(batchSize, count);
  const perEpoch = Math.floor(count / size);
  let current: { readonly epoch: number; readonly order: Uint32Array } | undefined;
  return (step) => {
    const epoch = Math.floor(step / perEpoch);
    if (current?.epoch !== epoch) current = { epoch, order: permutation(seed, streams.rewardBatch, epoch, count) };
    const first = (step % perEpoch) * size;
    return Array.from(current.order.subarray(first, first + size));
  };
}

function rowsOf(values: Float32Array, rows: readonly number[], width: number): tf.Tensor2D {
  const gathered = new Float32Array(rows.length * width);
  rows.forEach((row, place) => gathered.set(values.subarray(row * width, (row + 1) * width), place * width));
  return tf.tensor2d(gathered, [rows.length, width]);
}
