/**
 * One step of base training, as nanoGPT takes it: batches, their gradients, the optimizer, and the average of the weights if there
 * is one. One compiled function, or two if gradients are accumulated over several batches.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation, TrainConfig } from '../../../shared/config/train.js';
import { getBatch, getPassages } from './dataset.js';
import { dropoutNoise, noiseOfPassages } from '../model/dropout.js';
import { trunk, type Parameters } from '../model/model.js';
import { createSums, type Sums } from '../parallel/gradient-sums.js';
import { createTeamStep, type Passages } from '../parallel/team-step.js';
import { nextTokenLoss } from '../model/token-losses.js';
import { gradientsOf, type Gradients } from './gradients.js';
import { createAdamW, updatesInPlace } from './optimizer.js';
import { streams, uniformInt } from '../rng.js';
import type { Vocabulary } from '../tokenizer/types.js';
import { disposeTrees, takeScalars } from '../runtime/tree.js';
import type { Precision, Session } from '../runtime/types.js';
import type { Environment, NamedArrays, TokenSource } from '../types.js';
import type { StepResult } from './phase.js';
import { addLengths, textLength, type TextLength } from './text-loss.js';
import { average, decayAt } from './weight-average.js';

/** nanoGPT's, except β2. */
const ADAM = { beta1: 0.9, weightDecay: 0.1, gradClip: 1 } as const;

interface TrainStepOptions {
  readonly model: GPTConfig;
  readonly train: TrainConfig;
  readonly seed: number;
  readonly tokens: TokenSource;
  readonly parameters: Parameters;
  /** The parameters that learn. */
  readonly trained: Parameters;
  /** Their running averages, and the share of these that stays at each step. */
  readonly averages: Parameters | null;
  readonly averageDecay: number;
  readonly precision: Precision;
  /** Activations to recompute in the backward pass. */
  readonly recomputation?: Recomputation | undefined;
  readonly env?: Pick<Environment, 'team'>;
  /** Measures the text of a step; without it the loss is by token only. */
  readonly vocabulary?: Pick<Vocabulary, 'lengths'> | undefined;
}

/** x, y: int32 [batch, time]; key of the dropout noise: int32 [2], or [batch, 3] with one for each passage. */
type Batch = { readonly x: tf.Tensor; readonly y: tf.Tensor; readonly key: tf.Tensor };

/** The optimizer's scalars of a step, and the decay of the averages. */
type Scalars = { readonly adam: tf.Tensor; readonly decay?: tf.Tensor };

/** @param saved a checkpoint's moments */
export function createTrainStep(session: Session, options: TrainStepOptions, saved: NamedArrays | undefined) {
  const { model, train, parameters, trained, averages, averageDecay, precision, recomputation } = options;
  const team = options.env?.team;
  const adam = { ...ADAM, beta2: train.beta2, inPlace: updatesInPlace(model) };
  const optimizer = createAdamW(session, trained, adam, saved);

  const noiseOfBatch = (key: tf.Tensor) =>
    key.rank === 2 ? noiseOfPassages(key, train.batch_size) : dropoutNoise(key);
  let dropout = model.dropout;
  const learning: Learning = {
    precision,
    lossGradients: ({ x, y, key }) =>
      gradientsOf(() => {
        const hidden = trunk({ ...model, dropout }, parameters, x, noiseOfBatch(key), recomputation);
        return nextTokenLoss({ model, parameters, hidden, labels: y });
      }, trained),
    applyGradients(gradients, scalars) {
      const gradNorm = optimizer.apply(gradients, scalars.adam);
      if (averages && scalars.decay) average(averages, trained, scalars.decay);
      return gradNorm;
    },
  };
  const scalarsOf = (iteration: number, learningRate: number): Scalars => ({
    adam: optimizer.scalars(iteration + 1, learningRate),
    ...(averages && { decay: tf.scalar(decayAt(iteration + 1, averageDecay)) }),
  });

  const together =
    team &&
    createTeamStep(session, {
      ...options,
      team,
      ...learning,
      passagesOf: (iteration, rows) => passagesOf(iteration, rows, options),
    });
  const own = team ? null : createOwnStep(session, learning, options);

  return {
    optimizer,
    /** Sets the share of activations to drop out. */
    dropOut(share: number): void {
      if (share === dropout) return;
      dropout = share;
      own?.compileAgain();
      together?.compileAgain();
    },
    /** Returns the mean loss of the step's batches in nats per token, the norm of their gradient, and the length of their text. */
    async take(iteration: number, learningRate: number): Promise<StepResult & { readonly text: TextLength | null }> {
      const scalars = scalarsOf(iteration, learningRate);
      const { batches, text } = readBatches(iteration, options);
      const numbers = together ? await together.take(iteration, scalars) : await own?.take(batches, scalars);
      disposeTrees(scalars);
      if (!numbers) throw new Error('a step is taken alone or by a team');
      return { ...numbers, text };
    },
  };
}

interface Learning {
  readonly precision: Precision;
  lossGradients(batch: Batch): ReturnType<typeof gradientsOf>;
  /** @returns the norm of the gradient */
  applyGradients(gradients: Gradients, scalars: Scalars): tf.Scalar;
}

/** Creates the step of a process without a team. */
function createOwnStep(session: Session, learning: Learning, { model, train, seed, trained }: TrainStepOptions) {
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  const sums = accumulated === 1 ? null : createSums(session, trained);
  const compiled = () => (sums ? accumulating(session, learning, accumulated, sums) : fused(session, learning));
  let update = compiled();
  const shape: [number, number] = [batchSize, model.block_size];
  return {
    compileAgain(): void {
      update = compiled();
    },
    async take(passages: ReturnType<typeof readBatches>['batches'], scalars: Scalars): Promise<StepResult> {
      const batches = passages.map(({ x, y, place }) => ({
        x: tf.tensor2d(x, shape),
        y: tf.tensor2d(y, shape),
        key: tf.tensor1d([...noiseWords(seed, place)], 'int32'),
      }));
      const numbers = await takeScalars(update(batches, scalars));
      disposeTrees(batches);
      return numbers;
    },
  };
}

/** Compiles a step of one batch as one function. */
function fused(session: Session, { lossGradients, applyGradients, precision }: Learning) {
  const step = session.compile(
    (batch: Batch, scalars: Scalars) => {
      const { value, gradients } = lossGradients(batch);
      return { loss: value, gradNorm: applyGradients(gradients, scalars) };
    },
    { name: 'train_step', precision },
  );
  return ([batch]: readonly Batch[], scalars: Scalars) => {
    if (!batch) throw new Error('a step needs a batch');
    return step(batch, scalars);
  };
}

/** Compiles a step of several batches: their gradients are summed, and applied once. */
function accumulating(
  session: Session,
  { lossGradients, applyGradients, precision }: Learning,
  accumulated: number,
  sums: Sums,
) {
  const accumulate = session.compile(
    (batch: Batch) => {
      const { value, gradients } = lossGradients(batch);
      sums.add(gradients, 1 / accumulated);
      return value;
    },
    { name: 'accumulate_gradients', precision },
  );
  const apply = session.compile(
    (scalars: Scalars) => sums.take((gradients) => applyGradients(gradients, scalars)),
    // Without matrix products; XLA compiles plain f32.
    { name: 'apply_gradients', precision: 'f32' },
  );
  return (batches: readonly Batch[], scalars: Scalars) => {
    const losses = batches.map((batch) => accumulate(batch));
    const gradNorm = apply(scalars);
    const loss = tf.tidy(() => tf.mul(tf.addN(losses), 1 / accumulated));
    tf.dispose(losses);
    return { loss, gradNorm };
  };
}

/** Reads all batches of a step, a function of (seed, iteration), and measures the text that they predict. */
function readBatches(iteration: number, { model, train, seed, tokens, vocabulary }: TrainStepOptions) {
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  const draw = { batchSize, blockSize: model.block_size, seed, stream: streams.trainBatch };
  const lengths = vocabulary?.lengths() ?? null;
  let text = textLength(lengths, []);
  const batches = Array.from({ length: accumulated }, (_, micro) => {
    const place = iteration * accumulated + micro;
    const { x, y } = getBatch(tokens, { ...draw, step: place });
    text = addLengths(text, textLength(lengths, y));
    return { x, y, place };
  });
  return { batches, text };
}

/** Reads single passages of a step by their numbers among all of its batches, each with its key of the dropout noise. */
function passagesOf(
  iteration: number,
  rows: readonly number[],
  { model, train, seed, tokens }: TrainStepOptions,
): Passages {
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  const { block_size: blockSize } = model;
  const places = rows.map((passage) => ({
    step: iteration * accumulated + Math.floor(passage / batchSize),
    row: passage % batchSize,
  }));
  const shape: [number, number] = [rows.length, blockSize];
  const { x, y } = getPassages(tokens, places, { blockSize, seed, stream: streams.trainBatch });
  const keys = places.map(({ step, row }) => [...noiseWords(seed, step), row]);
  return { x: tf.tensor2d(x, shape), y: tf.tensor2d(y, shape), key: tf.tensor2d(keys, [rows.length, 3], 'int32') };
}

/** Returns a batch's key of the dropout noise: two words, a function of (seed, batch). */
function noiseWords(seed: number, batch: number): readonly [number, number] {
  const word = (index: number) => uniformInt(seed, streams.dropout, batch, index, 2 ** 31);
  return [word(0), word(1)];
}
