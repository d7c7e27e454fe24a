/**
 * DiLoCo (Douillard et al. 2023, arXiv 2311.08105): every rank of a team trains by itself for a round of steps, and then
 * all of them take one step together, along the mean of how far each has come. So weights travel once a round, not
 * gradients at each step.
 *
 * Other than in the paper, what the inner optimizer remembers is averaged too. It travels with the weights, and then all
 * ranks are alike between two rounds: one checkpoint is everybody's, and any number of ranks goes on from it.
 */
import * as tf from '@tensorflow/tfjs';
import { createParameters, parameterOf, readOnDemand, readParameters, type Parameters } from '../model/model.js';
import { selectPrefix, withPrefix } from '../model/named-arrays.js';
import type { Session } from '../runtime/types.js';
import type { Team } from '../team.js';
import type { NamedArrays } from '../types.js';
import { joined, separate } from './flat.js';

/** The paper's, of SGD with Nesterov's momentum. */
const RATE = 0.7;
const MOMENTUM = 0.9;

const VELOCITY = 'outer.';
const AVERAGE = 'average.';

export interface OuterOptions {
  readonly team: Team;
  readonly trained: Parameters;
  /** What the inner optimizer remembers, by names that no weight has. */
  readonly moments: Parameters;
  /** The running average of the weights, where one is kept, by their names. */
  readonly averages: Parameters | null;
}

/** @param saved the outer momentum among the arrays of a checkpoint; zeros without */
export function createOuterStep(
  session: Session,
  { team, trained, moments, averages }: OuterOptions,
  saved: NamedArrays = {},
) {
  /** As all ranks had them when the round began. */
  const begun = createParameters(session, readParameters(session, trained), 'begun.');
  const before = selectPrefix(saved, VELOCITY) ?? {};
  const velocity: Parameters = Object.fromEntries(
    Object.entries(trained).map(([name, { shape }]) => [
      name,
      session.variable(VELOCITY + name, shape, before[name]?.data),
    ]),
  );
  const travels: Parameters = { ...trained, ...moments, ...withPrefix(averages ?? {}, AVERAGE) };

  const come = session.compile(
    (): tf.Tensor1D => {
      // Differences are small numbers, and lose less where they are rounded on their way.
      const ofWeights = mapped(trained, (name, weight) => tf.sub(parameterOf(begun, name), weight));
      const ofAverages = mapped(averages ?? {}, (name, mean) => tf.sub(mean, parameterOf(begun, name)));
      return joined({ ...ofWeights, ...moments, ...withPrefix(ofAverages, AVERAGE) }, travels);
    },
    { name: 'round', precision: 'f32' },
  );
  const step = session.compile(
    (means: tf.Tensor1D): tf.Scalar => {
      const mean = separate(means, travels);
      for (const [name, moment] of Object.entries(moments)) moment.assign(of(mean, name));
      for (const [name, average] of Object.entries(averages ?? {}))
        average.assign(tf.add(parameterOf(begun, name), of(mean, AVERAGE + name)));
      for (const [name, weight] of Object.entries(trained)) {
        const [difference, start] = [of(mean, name), parameterOf(begun, name)];
        const faster = tf.add(tf.mul(parameterOf(velocity, name), MOMENTUM), difference);
        const moved = tf.sub(start, tf.mul(tf.add(difference, tf.mul(faster, MOMENTUM)), RATE));
        parameterOf(velocity, name).assign(faster);
        weight.assign(moved);
        start.assign(moved);
      }
      return tf.scalar(0);
    },
    { name: 'outer_step', precision: 'f32' },
  );

  return {
    /** @returns whether all that has travelled is finite; where it is not, nothing was learned from it */
    async take(): Promise<boolean> {
      const far = come();
      const own = far.dataSync() as Float32Array;
      // As large as several copies of the weights: each is given back before the next is made, and the sum is divided where it is.
      far.dispose();
      const { vector } = await team.sum(own, []);
      if (!vector.every(Number.isFinite)) return false;
      vector.forEach((sum, at) => (vector[at] = sum / team.size));
      const means = tf.tensor1d(vector);
      const done = step(means);
      done.dataSync();
      tf.dispose([means, done]);
      return true;
    },

    /** For the checkpoint. */
    read: (): NamedArrays => withPrefix(readOnDemand(session, velocity), VELOCITY),
  };
}

const mapped = (parameters: Parameters, map: (name: string, parameter: tf.Variable) => tf.Tensor) =>
  Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, map(name, parameter)]));

function of(tensors: Readonly<Record<string, tf.Tensor>>, name: string): tf.Tensor {
  const tensor = tensors[name];
  if (!tensor) throw new Error(`nothing of ${name} has travelled`);
  return tensor;
}
