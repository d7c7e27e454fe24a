/**
 * Dropout (Srivastava et al. 2014) with counter-based noise: the mask is a function of seed, step and layer, so a resumed run drops
 * the same activations.
 */
import * as tf from '@tensorflow/tfjs';
import { atStart } from '../runtime/control-flow.js';
import { statelessUniform } from '../runtime/ops.js';

/** One key for each dropout layer of one forward pass. */
export interface DropoutNoise {
  nextKey(): tf.Tensor;
  /** The noise of each part of a layer that divides the rows; absent: parts take successive keys. */
  inParts?(count: number): readonly DropoutNoise[];
}

/** The number of parts in which a layer computes a batch, each with its own key. */
export const partsOf = (rows: number): 1 | 2 => (rows % 2 === 0 ? 2 : 1);

/** @param key int32 [2], of seed and step */
export function dropoutNoise(key: tf.Tensor): DropoutNoise {
  let site = 0;
  return { nextKey: () => atStart(() => tf.add(key, tf.tensor1d([site++, 0], 'int32'))) };
}

/**
 * Noise of single passages, the same as in their batches.
 * @param keys int32 [B, 3]: the key of the batch and the passage's row in it
 * @param whole the rows of a batch
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

/** Noise of given keys. */
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

/** Zeroes a share `rate` of x and scales up the rest. */
export function dropout(x: tf.Tensor, rate: number, noise?: DropoutNoise): tf.Tensor {
  if (!noise || rate === 0) return x;
  const kept = tf.greaterEqual(statelessUniform(x.shape, noise.nextKey()), rate);
  return tf.mul(x, tf.mul(tf.cast(kept, 'float32'), 1 / (1 - rate)));
}
