/** Accumulates gradients over batches, and joins them into the vector that ranks exchange. Within compiled functions. */
import * as tf from '@tensorflow/tfjs';
import { parameterOf, type Parameters } from '../model/parameters.js';
import { blockByBlock } from '../runtime/control-flow.js';
import type { Session } from '../runtime/types.js';

/** By parameter. */
export type Tensors = Readonly<Record<string, tf.Tensor>>;

/** Joins tensors in the order of the parameters. */
export const joined = (tensors: Tensors, parameters: Parameters): tf.Tensor1D =>
  tf.concat(
    Object.keys(parameters).map((name) => {
      const tensor = tensors[name];
      if (!tensor) throw new Error(`no gradient for ${name}`);
      return tf.reshape(tensor, [-1]) as tf.Tensor1D;
    }),
  );

export function separate(whole: tf.Tensor1D, parameters: Parameters): Tensors {
  let at = 0;
  return Object.fromEntries(
    Object.keys(parameters).map((name) => {
      const { size, shape } = parameterOf(parameters, name);
      const part = tf.reshape(tf.slice(whole, [at], [size]), shape);
      at += size;
      return [name, part];
    }),
  );
}

export const sizeOfAll = (parameters: Parameters): number =>
  Object.values(parameters).reduce((sum, { size }) => sum + size, 0);

export interface Sums {
  add(gradients: Tensors, weight: tf.Tensor | number): void;
  /** Passes the sums to `learn` and resets them to 0. */
  take<T>(learn: (sums: Tensors) => T): T;
}

export function createSums(session: Session, parameters: Parameters): Sums {
  const sums: Parameters = Object.fromEntries(
    Object.entries(parameters).map(([name, { shape }]) => [name, session.variable(`sum.${name}`, shape)] as const),
  );
  return {
    add(gradients, weight) {
      blockByBlock('sums', sums, (name, sum) => sum.assign(tf.add(sum, tf.mul(gradients[name] ?? 0, weight))));
    },
    take(learn) {
      const result = learn(sums);
      blockByBlock('zeros', sums, (_, sum) => sum.assign(tf.zerosLike(sum)));
      return result;
    },
  };
}
