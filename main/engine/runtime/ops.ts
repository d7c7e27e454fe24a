/**
 * Operations that tfjs lacks, for eager and compiled functions alike: any TensorFlow operation can be run through the
 * backend, and where there is no TensorFlow a plain JavaScript equivalent takes its place.
 */
import * as tf from '@tensorflow/tfjs';
import type { Tensor } from '@tensorflow/tfjs';
import { ATTR, DT, sizeOf, type NodeBackend, type OpAttr, type Shape } from './tensorflow.js';

/** TensorFlow's backend, or null on tfjs's own. */
function tensorflow(): NodeBackend | null {
  return tf.getBackend() === 'tensorflow' ? (tf.backend() as unknown as NodeBackend) : null;
}

const type = (name: string, value: number): OpAttr => ({ name, type: ATTR.TYPE, value });

/**
 * Uniform numbers in [0, 1), a function of the key alone. The numbers differ between backends, not between runs.
 * @param key int32 [2]
 */
export function statelessUniform(shape: Shape, key: Tensor): Tensor {
  const backend = tensorflow();
  if (!backend) return uniformInJavaScript(shape, key);
  const attrs = [type('dtype', DT.FLOAT), type('Tseed', DT.INT32), type('T', DT.INT32)];
  return tf.tidy(() =>
    backend.executeSingleOutput('StatelessRandomUniform', attrs, [tf.tensor1d([...shape], 'int32'), key]),
  );
}

/** A small integer hash (Chris Wellon's "lowbias32") over position and key; quality enough for dropout. */
function uniformInJavaScript(shape: Shape, key: Tensor): Tensor {
  const [low = 0, high = 0] = key.dataSync();
  const values = new Float32Array(sizeOf(shape));
  for (let i = 0; i < values.length; i++) {
    values[i] = (mix(mix(mix(i + 0x9e3779b9) ^ low) ^ high) >>> 8) / 2 ** 24;
  }
  return tf.tensor(values, [...shape]);
}

function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
