/**
 * Dropout with counter-based noise: the mask is a function of (seed, step, site in the network), so that a run that
 * was interrupted drops the same activations as one that was not (Srivastava et al. 2014).
 */
import * as tf from '@tensorflow/tfjs';
import { statelessUniform } from '../runtime/ops.js';

/** Hands out one key per dropout layer of a forward pass. Create one for each forward pass. */
export interface DropoutNoise {
  nextKey(): tf.Tensor1D;
}

/** @param key int32 [2]: changes with seed and step */
export function dropoutNoise(key: tf.Tensor1D): DropoutNoise {
  let site = 0;
  return { nextKey: () => tf.add(key, tf.tensor1d([site++, 0], 'int32')) };
}

/** The noise of given keys, one after the other. */
export function noiseOf(keys: readonly tf.Tensor1D[]): DropoutNoise {
  let site = 0;
  return {
    nextKey() {
      const key = keys[site++];
      if (!key) throw new Error(`there are ${keys.length} keys`);
      return key;
    },
  };
}

/** Zeroes a share `rate` of x and scales the rest up; the identity without noise or at rate 0. */
export function dropout(x: tf.Tensor, rate: number, noise?: DropoutNoise): tf.Tensor {
  if (!noise || rate === 0) return x;
  const kept = tf.greaterEqual(statelessUniform(x.shape, noise.nextKey()), rate);
  return tf.mul(x, tf.mul(tf.cast(kept, 'float32'), 1 / (1 - rate)));
}
