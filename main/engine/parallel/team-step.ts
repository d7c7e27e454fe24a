/**
 * A step of base training that several processes take together: each computes the gradients of its passages of the step, they
 * are added up over all, and every process makes the same update of them. Passages and noise are functions of their place,
 * so it is the step that one process would take, but for the order in which numbers are added.
 */
import * as tf from '@tensorflow/tfjs';
import type { TrainConfig } from '../../../shared/config/train.js';
import { parameterOf, type Parameters } from '../model/model.js';
import type { Precision, Session } from '../runtime/types.js';
import type { Team } from '../team.js';

/** By parameter. */
type Gradients = Readonly<Record<string, tf.Tensor>>;

/** All gradients end to end, in the order of the parameters. */
export const joinedGradients = (gradients: Gradients, trained: Parameters): tf.Tensor1D =>
  tf.concat(
    Object.keys(trained).map((name) => {
      const gradient = gradients[name];
      if (!gradient) throw new Error(`no gradient for ${name}`);
      return tf.reshape(gradient, [-1]) as tf.Tensor1D;
    }),
  );

/** The other way round. */
export function separateGradients(joined: tf.Tensor1D, trained: Parameters): Gradients {
  let at = 0;
  return Object.fromEntries(
    Object.keys(trained).map((name) => {
      const { size, shape } = parameterOf(trained, name);
      const gradient = tf.reshape(tf.slice(joined, [at], [size]), shape);
      at += size;
      return [name, gradient];
    }),
  );
}

export const sizeOfAll = (trained: Parameters): number =>
  Object.values(trained).reduce((sum, { size }) => sum + size, 0);

/** x, y: int32 [batch, time]; key: int32 [batch, 3], the dropout noise's of each passage. */
export type Passages = { readonly x: tf.Tensor; readonly y: tf.Tensor; readonly key: tf.Tensor };

interface TeamUpdateOptions<Scalars extends { readonly [key: string]: tf.Tensor | undefined }> {
  readonly team: Team;
  readonly trained: Parameters;
  /** Of the update's matrix products. */
  readonly precision: Precision;
  applyGradients(gradients: Gradients, scalars: Scalars): tf.Scalar;
}

/** The one all-reduce: gradients that each rank has added up of its share, summed over all and learned from everywhere. */
export function createTeamUpdate<Scalars extends { readonly [key: string]: tf.Tensor | undefined }>(
  session: Session,
  { team, trained, precision, applyGradients }: TeamUpdateOptions<Scalars>,
) {
  const sum = session.variable('sum.gradients', [sizeOfAll(trained)]);
  const apply = session.compile(
    (joined: tf.Tensor1D, scalars: Scalars) => applyGradients(separateGradients(joined, trained), scalars),
    { name: 'apply_gradients', precision },
  );
  return {
    begin: () => session.write(sum, new Float32Array(sum.size)),

    /** Within a compiled function: adds these to what this rank gives. */
    add(gradients: Gradients, weight: tf.Tensor): void {
      sum.assign(tf.add(sum, tf.mul(joinedGradients(gradients, trained), weight)));
    },

    /** @param numbers of this rank's share; @returns their sums over all, and the length of the whole gradient */
    async learn(numbers: readonly number[], scalars: Scalars) {
      const given = new Float32Array(sum.size + numbers.length);
      given.set(session.read(sum));
      given.set(numbers, sum.size);
      const all = await team.sum(given, numbers.length);
      const joined = tf.tensor1d(all.subarray(0, sum.size));
      const norm = apply(joined, scalars);
      const gradNorm = norm.dataSync()[0] ?? NaN;
      tf.dispose([joined, norm]);
      return { numbers: Array.from(all.subarray(sum.size)), gradNorm };
    },
  };
}

interface TeamStepOptions<Scalars extends { readonly [key: string]: tf.Tensor | undefined }> {
  readonly team: Team;
  readonly train: TrainConfig;
  readonly trained: Parameters;
  readonly precision: Precision;
  lossGradients(batch: Passages): { readonly value: tf.Scalar; readonly gradients: Gradients };
  applyGradients(gradients: Gradients, scalars: Scalars): tf.Scalar;
  /** Those of these numbers among the passages of a step, from 0 on; the caller's to dispose. */
  passagesOf(iteration: number, rows: readonly number[]): Passages;
}

/** @returns takes a step, and gives the mean loss of all its passages and the length of the whole gradient */
export function createTeamStep<Scalars extends { readonly [key: string]: tf.Tensor | undefined }>(
  session: Session,
  options: TeamStepOptions<Scalars>,
) {
  const { team, train, precision, lossGradients, passagesOf } = options;
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  const passages = batchSize * accumulated;
  const update = createTeamUpdate(session, { ...options, precision: train.optimizer === 'muon' ? precision : 'f32' });
  const add = session.compile(
    (batch: Passages, weight: tf.Scalar) => {
      const { value, gradients } = lossGradients(batch);
      update.add(gradients, weight);
      return tf.mul(value, weight);
    },
    { name: 'share_of_gradients', precision },
  );

  return async (iteration: number, scalars: Scalars): Promise<{ readonly loss: number; readonly gradNorm: number }> => {
    const own = Array.from({ length: passages }, (_, passage) => passage).filter(
      (passage) => passage % team.size === team.rank,
    );
    let sum = 0;
    update.begin();
    for (const rows of nearlyEqual(own, batchSize)) {
      const batch = passagesOf(iteration, rows);
      const weight = tf.scalar(rows.length / passages);
      const loss = add(batch, weight);
      sum = Math.fround(sum + (loss.dataSync()[0] ?? NaN));
      tf.dispose([batch.x, batch.y, batch.key, weight, loss]);
    }
    const { numbers, gradNorm } = await update.learn([sum], scalars);
    return { loss: numbers[0] ?? NaN, gradNorm };
  };
}

/** In as few parts of at most `most` as it takes. */
function nearlyEqual<T>(items: readonly T[], most: number): T[][] {
  const parts = Math.ceil(items.length / most);
  const place = (part: number) => Math.floor((part * items.length) / parts);
  return Array.from({ length: parts }, (_, part) => items.slice(place(part), place(part + 1)));
}
