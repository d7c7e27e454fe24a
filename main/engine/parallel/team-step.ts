/**
 * A step of base training that several processes take together: each computes the gradients of its passages of the step, they
 * are added up over all, and every process makes the same update of them. Passages and noise are functions of their place,
 * so it is the step that one process would take, but for the order in which numbers are added. Or each learns from its share
 * by itself, until weights are averaged (outer-step.ts).
 */
import * as tf from '@tensorflow/tfjs';
import type { TrainConfig } from '../../../shared/config/train.js';
import { UserError } from '../../../shared/errors.js';
import type { Parameters } from '../model/model.js';
import type { Precision, Session } from '../runtime/types.js';
import type { Team } from '../team.js';
import { joined, separate, sizeOfAll, type Tensors } from './flat.js';
import { createSums } from './sums.js';

/** x, y: int32 [batch, time]; key: int32 [batch, 3], the dropout noise's of each passage. */
export type Passages = { readonly x: tf.Tensor; readonly y: tf.Tensor; readonly key: tf.Tensor };

type Told = { readonly [key: string]: tf.Tensor | undefined };

interface OwnUpdateOptions<Scalars extends Told> {
  readonly trained: Parameters;
  /** Of the update's matrix products. */
  readonly precision: Precision;
  applyGradients(gradients: Tensors, scalars: Scalars): tf.Scalar;
}

interface TeamUpdateOptions<Scalars extends Told> extends OwnUpdateOptions<Scalars> {
  readonly team: Team;
}

/** The one all-reduce: gradients that each rank has added up of its share, summed over all and learned from everywhere. */
export function createTeamUpdate<Scalars extends Told>(
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

    /** @param numbers of this rank's share; @returns their sums over all, and the length of the whole gradient */
    async learn(numbers: readonly number[], scalars: Scalars) {
      const all = await team.sum(session.read(sum) as Float32Array, numbers);
      const whole = tf.tensor1d(all.vector);
      const norm = apply(whole, scalars);
      const gradNorm = norm.dataSync()[0] ?? NaN;
      tf.dispose([whole, norm]);
      return { numbers: all.numbers, gradNorm };
    },
  };
}

/** The same where nothing is exchanged, and each rank learns from its own share alone. */
function createOwnUpdate<Scalars extends Told>(
  session: Session,
  { trained, precision, applyGradients }: OwnUpdateOptions<Scalars>,
): ReturnType<typeof createTeamUpdate<Scalars>> {
  const sums = createSums(session, trained);
  const apply = session.compile((scalars: Scalars) => sums.take((gradients) => applyGradients(gradients, scalars)), {
    name: 'apply_own_gradients',
    precision,
  });
  return {
    add: sums.add,

    learn(numbers, scalars) {
      const norm = apply(scalars);
      const gradNorm = norm.dataSync()[0] ?? NaN;
      norm.dispose();
      return Promise.resolve({ numbers: [...numbers], gradNorm });
    },
  };
}

interface TeamStepOptions<Scalars extends Told> {
  readonly team: Team;
  readonly train: TrainConfig;
  readonly trained: Parameters;
  readonly precision: Precision;
  lossGradients(batch: Passages): { readonly value: tf.Scalar; readonly gradients: Tensors };
  applyGradients(gradients: Tensors, scalars: Scalars): tf.Scalar;
  /** Those of these numbers among the passages of a step, from 0 on; the caller's to dispose. */
  passagesOf(iteration: number, rows: readonly number[]): Passages;
}

/**
 * @returns `take` takes a step, and gives the mean loss of all its passages and the length of the whole gradient; or both of
 *   this rank's share, where each takes steps of its own (`Team.every`)
 * @throws UserError `bad_input` where a rank would take steps without a passage
 */
export function createTeamStep<Scalars extends Told>(session: Session, options: TeamStepOptions<Scalars>) {
  const { team, train, precision, lossGradients, passagesOf } = options;
  const { batch_size: batchSize, gradient_accumulation_steps: accumulated } = train;
  const passages = batchSize * accumulated;
  const isApart = team.every > 1;
  if (isApart && passages < team.size) throw tooFewPassages(passages, team);
  const ofUpdate = { ...options, precision: train.optimizer === 'muon' ? precision : ('f32' as const) };
  const update = isApart ? createOwnUpdate(session, ofUpdate) : createTeamUpdate(session, ofUpdate);
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
      const weight = tf.scalar(rows.length / (isApart ? own.length : passages));
      const loss = add(batch, weight);
      sum = Math.fround(sum + (loss.dataSync()[0] ?? NaN));
      tf.dispose([batch.x, batch.y, batch.key, weight, loss]);
    }
    const { numbers, gradNorm } = await update.learn([sum], scalars);
    return { loss: numbers[0] ?? NaN, gradNorm };
  };
  return {
    take,
    /** The loss is another one from now on (`lossGradients`). */
    compileAgain(): void {
      add = compiled();
    },
  };
}

const tooFewPassages = (passages: number, { size, every }: Team) =>
  new UserError({
    code: 'bad_input',
    message: `A step has ${passages} passages, and ${size} members are to take ${every} steps at a time each on passages of its own`,
    hint: 'Make batch_size or gradient_accumulation_steps larger, start fewer members, or leave cluster_every out.',
    field: 'cluster_every',
  });

/** In as few parts of at most `most` as it takes. */
function nearlyEqual<T>(items: readonly T[], most: number): T[][] {
  const parts = Math.ceil(items.length / most);
  const place = (part: number) => Math.floor((part * items.length) / parts);
  return Array.from({ length: parts }, (_, part) => items.slice(place(part), place(part + 1)));
}
