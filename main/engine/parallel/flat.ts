/** Joins tensors into the vector that ranks exchange, and separates it again. Within compiled functions. */
import * as tf from '@tensorflow/tfjs';
import { parameterOf, type Parameters } from '../model/model.js';

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
