/**
 * A step of base training by several processes: each computes the gradients of its passages, these are summed over all ranks, and
 * all ranks make the same update. Except for the order of additions it is the step of a single process.
 */
import * as tf from '@tensorflow/tfjs';
import type { TrainConfig } from '../../../shared/config/train.js';
import type { Parameters } from '../model/model.js';
import { takeNumber } from '../runtime/reading.js';
import type { Precision, Session } from '../runtime/types.js';
import type { Team } from '../team.js';
import { joined, separate, sizeOfAll, type Tensors } from './gradient-sums.js';

/** x, y: int32 [batch, time]; key: int32 [batch, 3], each passage's key of the dropout noise. */
export type Passages = { readonly x: tf.Tensor; readonly y: tf.Tensor; readonly key: tf.Tensor };

type ScalarTensors = { readonly [key: string]: tf.Tensor | undefined };

interface TeamUpdateOptions<Scalars extends ScalarTensors> {
  readonly team: Team;
  readonly trained: Parameters;
  /** Of the update's matrix products. */
  readonly precision: Precision;
  applyGradients(gradients: Tensors, scalars: Scalars): tf.Scalar;
}

/** Creates the all-reduce and the update: each rank accumulates its gradients, they are summed, and all ranks learn from the sum. */
export function createTeamUpdate<Scalars extends ScalarTensors>(
  session: Session,
  { team, trained, precision, applyGradients }: TeamUpdateOptions<Scalars>,
) {
  const sum = session.variable('sum.gradients', [sizeOfAll(trained)]);
  const apply = session.compile(
    (whole: tf.Tensor1D, scalars: Scalars) => {
      sum.assign(tf.zerosLike(sum));
      return applyGradients(separate(whole, trained), scalars);
    },
    { name: 'apply_gradients', precision },
  );
  return {
    /** Within a compiled function: adds these to what this rank gives. */
    add(gradients: Tensors, weight: tf.Tensor): void {
      sum.assign(tf.add(sum, tf.mul(joined(gradients, trained), weight)));
    },

    /** @param numbers of this rank's share; @returns their sums over all ranks, and the norm of the whole gradient */
    async learn(numbers: readonly number[], scalars: Scalars) {
      const all = await team.sum(session.read(sum) as Float32Array, numbers);
      const whole = tf.tensor1d(all.vector);
      const norm = apply(whole, scalars);
      whole.dispose();
      return { numbers: all.numbers, gradNorm: await takeNumber(norm) };
    },
  };
}

interface TeamStepOptions<Scalars extends ScalarTensors> extends TeamUpdateOptions<Scalars> {
  readonly train: TrainConfig;
  lossGradients(batch: Passages): { readonly value: tf.Scalar; readonly gradients: Tensors };
  /** Reads passages of a step by their numbers, from 0; the caller disposes of them. */
  passagesOf(iteration: number, rows: readonly number[]): Passages;
}

/** @returns `take` takes a step and returns the mean loss of all its passages and the norm of the whole gradient */
export function createTeamStep<Scalars extends ScalarTensors>(session: Session, options: TeamStepOptions<Scalars>) {
  const { team, train, precision, lossGradients, passagesOf } = options;
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  const passages = batchSize * accumulated;
  // No matrix products in the update, and plain f32 is compiled by XLA.
  const update = createTeamUpdate(session, { ...options, precision: 'f32' });
  const compiled = () =>
    session.compile(
      (batch: Passages, weight: tf.Scalar) => {
        const { value, gradients } = lossGradients(batch);
        update.add(gradients, weight);
        return tf.mul(value, weight);
      },
      { name: 'share_of_gradients', precision },
    );
  let add = compiled();

  const take = async (
    iteration: number,
    scalars: Scalars,
  ): Promise<{ readonly loss: number; readonly gradNorm: number }> => {
    const own = Array.from({ length: passages }, (_, passage) => passage).filter(
      (passage) => passage % team.size === team.rank,
    );
    let sum = 0;
    for (const rows of nearlyEqual(own, batchSize)) {
      const batch = passagesOf(iteration, rows);
      const weight = tf.scalar(rows.length / passages);
      const loss = add(batch, weight);
      sum = Math.fround(sum + (await takeNumber(loss)));
      tf.dispose([batch.x, batch.y, batch.key, weight]);
    }
    const { numbers, gradNorm } = await update.learn([sum], scalars);
    return { loss: numbers[0] ?? NaN, gradNorm };
  };
  return {
    take,
    /** Compiles `lossGradients` again after the loss has changed. */
    compileAgain(): void {
      add = compiled();
    },
  };
}

/** Divides items into as few parts as possible, with at most `most` items each. */
function nearlyEqual<T>(items: readonly T[], most: number): T[][] {
  const parts = Math.ceil(items.length / most);
  const place = (part: number) => Math.floor((part * items.length) / parts);
  return Array.from({ length: parts }, (_, part) => items.slice(place(part), place(part + 1)));
}
