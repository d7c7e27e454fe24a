/**
 * Dropout with counter-based noise: the mask is a function of (seed, step, site in the network), so that a run that
 * was interrupted drops the same activations as one that was not (Srivastava et al. 2014).
 */
import * as tf from '@tensorflow/tfjs';
import { atStart } from '../runtime/control-flow.js';
import { statelessUniform } from '../runtime/ops.js';

/** Hands out one key per dropout layer of a forward pass. Create one for each forward pass. */
export interface DropoutNoise {
  nextKey(): tf.Tensor;
  /** Of a layer that computes the rows in so many parts: each part's. Left out: they take keys one after the other. */
  inParts?(count: number): readonly DropoutNoise[];
}

/** In how many parts a layer may compute a batch, which then have keys of their own. */
export const partsOf = (rows: number): 1 | 2 => (rows % 2 === 0 ? 2 : 1);

/** @param key int32 [2]: changes with seed and step */
export function dropoutNoise(key: tf.Tensor): DropoutNoise {
  let site = 0;
  return { nextKey: () => atStart(() => tf.add(key, tf.tensor1d([site++, 0], 'int32'))) };
}

/**
 * Of single passages: each drops what it would drop in its batch.
 * @param keys int32 [B, 3]: the two numbers of that batch's key, and the passage's row in it
 * @param whole the rows of such a batch
 */
export function noiseOfPassages(keys: tf.Tensor, whole: number): DropoutNoise {
  let site = 0;
  const parts = partsOf(whole);
  return {
    nextKey: () => atStart(() => tf.add(keys, tf.tensor1d([site++, 0, 0], 'int32'))),
    inParts(count) {
      const each = atStart(() => {
        const [low, high, row] = tf.split(keys, 3, 1);
        if (!low || !high || !row) throw new Error('a passage has a key of three int32 numbers');
        const half = whole / parts;
        const isLater = tf.cast(tf.greaterEqual(row, tf.scalar(half, 'int32')), 'int32');
        const within = tf.sub(row, tf.mul(isLater, tf.scalar(half, 'int32')));
        const atSite = tf.add(tf.add(low, isLater), tf.scalar(site, 'int32'));
        return tf.split(tf.concat([atSite, high, within], 1), count, 0);
      });
      site += parts;
      return each.map((key) => noiseOf([key]));
    },
  };
}

/** The noise of given keys, one after the other. */
export function noiseOf(keys: readonly tf.Tensor[]): DropoutNoise {
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
