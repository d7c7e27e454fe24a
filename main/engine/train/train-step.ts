/**
 * One step of base training, as nanoGPT takes it: batches, their gradients, the optimizer, and the average of the weights where
 * one is kept. One compiled function, or two where gradients are accumulated over several batches.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation, TrainConfig } from '../../../shared/config/train.js';
import { getBatch, getPassages } from './dataset.js';
import { dropoutNoise, noiseOfPassages } from '../model/dropout.js';
import { trunk, type Parameters } from '../model/model.js';
import { createSums, type Sums } from '../parallel/sums.js';
import { createTeamStep, type Passages } from '../parallel/team-step.js';
import { nextTokenLoss } from '../model/token-losses.js';
import { gradientsOf, type Gradients } from './gradients.js';
import { createAdamW, updatesInPlace } from './optimizer.js';
import { streams, uniformInt } from '../rng.js';
import type { Vocabulary } from '../tokenizer/types.js';
import { disposeTrees, takeScalars } from '../runtime/tree.js';
import type { Precision, Session } from '../runtime/types.js';
import type { Environment, NamedArrays, TokenSource } from '../types.js';
import type { Taken } from './phase.js';
import { addLengths, textLength, type TextLength } from './text-loss.js';
import { average, decayAt } from './weight-average.js';

/** nanoGPT's, but for β2. */
const ADAM = { beta1: 0.9, weightDecay: 0.1, gradClip: 1 } as const;

interface TrainStepOptions {
  readonly model: GPTConfig;
  readonly train: TrainConfig;
  readonly seed: number;
  readonly tokens: TokenSource;
  readonly parameters: Parameters;
  /** Those of them that learn. */
  readonly trained: Parameters;
  /** Where a running average of those is kept, and the share of it that stays at each step. */
  readonly averages: Parameters | null;
  readonly averageDecay: number;
  readonly precision: Precision;
  /** What the backward pass computes again; left out: nothing. */
  readonly recomputation?: Recomputation | undefined;
  /** With whom steps are taken, where this process does not work alone. */
  readonly env?: Pick<Environment, 'team'>;
  /** How much text each token is; left out: the loss is by token alone. */
  readonly vocabulary?: Pick<Vocabulary, 'lengths'> | undefined;
}

/** x, y: int32 [batch, time]; key: the dropout noise's, int32 [2], or [batch, 3] where each passage has its own. */
type Batch = { readonly x: tf.Tensor; readonly y: tf.Tensor; readonly key: tf.Tensor };

/** What changes from step to step: the optimizer's scalars, and the average's decay where one is kept. */
type Scalars = { readonly told: tf.Tensor; readonly decay?: tf.Tensor };

/** @param saved the moments, from a checkpoint */
export function createTrainStep(session: Session, options: TrainStepOptions, saved: NamedArrays | undefined) {
  const { model, train, parameters, trained, averages, averageDecay, precision, recomputation } = options;
  const team = options.env?.team;
  const { gradient_accumulation_steps: accumulated } = train;
  const adam = { ...ADAM, beta2: train.beta2, inPlace: updatesInPlace(model) };
  const optimizer = createAdamW(session, trained, adam, saved);

  const noiseOfBatch = (key: tf.Tensor) =>
    key.rank === 2 ? noiseOfPassages(key, train.batch_size) : dropoutNoise(key);
  let dropout = model.dropout;
  const lossGradients = ({ x, y, key }: Batch) =>
    gradientsOf(() => {
      const hidden = trunk({ ...model, dropout }, parameters, x, noiseOfBatch(key), recomputation);
      return nextTokenLoss({ model, parameters, hidden, labels: y });
    }, trained);

  const applyGradients = (gradients: Gradients, { told, decay }: Scalars): tf.Scalar => {
    const gradNorm = optimizer.apply(gradients, told);
    if (averages && decay) average(averages, trained, decay);
    return gradNorm;
  };

  const scalarsOf = (iteration: number, learningRate: number): Scalars => {
    const told = optimizer.scalars(iteration + 1, learningRate);
    return averages ? { told, decay: tf.scalar(decayAt(iteration + 1, averageDecay)) } : { told };
  };

  const learning: Learning = { precision, lossGradients, applyGradients };
  const sums = team || accumulated === 1 ? null : createSums(session, trained);
  const compiled = () => (sums ? accumulating(session, learning, options, sums) : fused(session, learning));
  let update = team ? null : compiled();
  const together =
    team &&
    createTeamStep(session, {
      ...options,
      team,
      ...learning,
      passagesOf: (iteration, rows) => passagesOf(iteration, rows, options),
    });

  return {
    /** From now on this share of activations is dropped out. */
    dropOut(share: number): void {
      if (share === dropout) return;
      dropout = share;
      if (update) update = compiled();
      together?.compileAgain();
    },
    /** The mean loss of the step's batches before it, in nats per token, the norm of their gradients, and the text itself. */
    async take(iteration: number, learningRate: number): Promise<Taken & { readonly text: TextLength | null }> {
      const scalars = scalarsOf(iteration, learningRate);
      if (!update || together) {
        if (!together) throw new Error('a step is taken alone or together');
        const numbers = await together.take(iteration, scalars);
        disposeTrees(scalars);
        return { ...numbers, text: textOf(iteration, options) };
      }
      const { batches, text } = batchesOf(iteration, options);
      const numbers = takeScalars(update(batches, scalars));
      disposeTrees(batches, scalars);
      return { ...numbers, text };
    },
    optimizer,
  };
}

interface Learning {
  readonly precision: Precision;
  lossGradients(batch: Batch): ReturnType<typeof gradientsOf>;
  /** @returns the gradient's length */
  applyGradients(gradients: Gradients, scalars: Scalars): tf.Scalar;
}

/** One batch to a step: all of it is one function. */
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

/** The gradients of several batches are added up, and then learned from. */
function accumulating(
  session: Session,
  { lossGradients, applyGradients, precision }: Learning,
  { train }: Pick<TrainStepOptions, 'train'>,
  sums: Sums,
) {
  const { gradient_accumulation_steps: accumulated } = train;
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
    // No matrix products here, and plain f32 is compiled by XLA.
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

/** How much text all passages of a step predict; null where no tokenizer is known. */
function textOf(iteration: number, { model, train, seed, tokens, vocabulary }: TrainStepOptions): TextLength | null {
  const lengths = vocabulary?.lengths() ?? null;
  if (lengths === null) return null;
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  let text = textLength(lengths, []);
  for (let micro = 0; micro < accumulated; micro++) {
    const place = { seed, stream: streams.trainBatch, step: iteration * accumulated + micro };
    const { y } = getBatch(tokens, { batchSize, blockSize: model.block_size, ...place });
    text = addLengths(text, textLength(lengths, y));
  }
  return text;
}

/** The batches of one step, a function of (seed, iteration), the caller's to dispose; and how much text they predict. */
function batchesOf(iteration: number, { model, train, seed, tokens, vocabulary }: TrainStepOptions) {
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  const { block_size: blockSize } = model;
  const lengths = vocabulary?.lengths() ?? null;
  let text = textLength(lengths, []);
  const batches = Array.from({ length: accumulated }, (_, micro): Batch => {
    const place = iteration * accumulated + micro;
    const { x, y } = getBatch(tokens, { batchSize, blockSize, seed, stream: streams.trainBatch, step: place });
    text = addLengths(text, textLength(lengths, y));
    const shape: [number, number] = [batchSize, blockSize];
    return { x: tf.tensor2d(x, shape), y: tf.tensor2d(y, shape), key: dropoutKey(seed, place) };
  });
  return { batches, text };
}

/** Single passages of a step, by their numbers among all of its batches, each with what its dropout hangs on. */
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

/** The key that dropout's noise of one batch hangs on: two int32 words, a function of (seed, batch). */
function dropoutKey(seed: number, batch: number): tf.Tensor1D {
  return tf.tensor1d([...noiseWords(seed, batch)], 'int32');
}

function noiseWords(seed: number, batch: number): readonly [number, number] {
  const word = (index: number) => uniformInt(seed, streams.dropout, batch, index, 2 ** 31);
  return [word(0), word(1)];
}
