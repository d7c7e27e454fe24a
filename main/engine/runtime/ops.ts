/**
 * Operations that tfjs lacks, for eager and compiled functions alike: any TensorFlow operation can be run through the
 * backend, and where there is no TensorFlow a plain JavaScript equivalent takes its place.
 */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Tensor1D } from '@tensorflow/tfjs';
import { ATTR, DT, sizeOf, tensorflowType, type NodeBackend, type OpAttr, type Shape } from './tensorflow.js';
import { tracerOf } from './tracer.js';

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

/**
 * While `condition` holds, makes the next state from the last: one graph when compiled, a JavaScript loop when not.
 * Both functions may use tensors and variables around them, but not assign; the state keeps its types and shapes.
 * @param condition returns one scalar of type bool
 * @returns the last state, new tensors
 */
export function whileLoop<S extends readonly Tensor[]>(
  condition: (...state: S) => Tensor,
  body: (...state: S) => { readonly [K in keyof S]: Tensor },
  state: readonly [...S],
): readonly [...S] {
  const conditionOf = (...args: Tensor[]): Tensor => condition(...(args as unknown as S));
  const bodyOf = (...args: Tensor[]): readonly Tensor[] => body(...(args as unknown as S));
  const traced = tracerOf(tf.backend())?.whileLoop((...args) => [conditionOf(...args)], bodyOf, state);
  if (traced) return traced as unknown as readonly [...S];
  let current: readonly Tensor[] = state.map((tensor) => tensor.clone());
  while (tf.tidy(() => conditionOf(...current).dataSync()[0])) {
    // Clones: a body may pass a tensor through, which is then disposed with the old state.
    const next = tf.tidy(() => bodyOf(...current).map((tensor) => tensor.clone()));
    tf.dispose([...current]);
    current = next;
  }
  return current as unknown as readonly [...S];
}

/**
 * A piece of `x` of a fixed size from a place that may be computed. Like XLA, the place is moved so that the piece fits.
 * No gradient.
 * @param start int32 [rank of x]
 */
export function dynamicSlice(x: Tensor, start: Tensor1D, size: Shape): Tensor {
  return tf.tidy(() => {
    const inside = fitting(x.shape, start, size);
    const backend = tensorflow();
    if (!backend) return tf.slice(x, Array.from(inside.dataSync()), [...size]);
    const attrs = [type('T', tensorflowType(x.dtype)), type('Index', DT.INT32)];
    return backend.executeSingleOutput('Slice', attrs, [x, inside, tf.tensor1d([...size], 'int32')]);
  });
}

/**
 * `x` with `update` written over the piece that begins at `start`, which may be computed; moved so that it fits. XLA
 * does it in place where it can, in a loop's state above all. No gradient.
 * @param start int32 [rank of x]
 */
export function dynamicUpdateSlice(x: Tensor, update: Tensor, start: Tensor1D): Tensor {
  const backend = tensorflow();
  if (backend && tracerOf(backend)?.tracingForXla) {
    const attrs = [type('T', tensorflowType(x.dtype)), type('Tindices', DT.INT32)];
    return backend.executeSingleOutput('XlaDynamicUpdateSlice', attrs, [x, update, start]);
  }
  return tf.tidy(() => {
    const inside = fitting(x.shape, start, update.shape);
    const strides = x.shape.map((_, axis) => sizeOf(x.shape.slice(axis + 1)));
    const offset = tf.sum(tf.mul(inside, tf.tensor1d(strides, 'int32')));
    const places = tf.add(tf.tensor1d(placesOf(update.shape, strides), 'int32'), offset);
    const flat = tf.tensorScatterUpdate(tf.reshape(x, [-1]), tf.reshape(places, [-1, 1]), tf.reshape(update, [-1]));
    return tf.reshape(flat, x.shape);
  });
}

/** `start`, moved so that a piece of `size` stays inside `shape`. */
function fitting(shape: Shape, start: Tensor1D, size: Shape): Tensor1D {
  const furthest = shape.map((length, axis) => length - (size[axis] ?? 0));
  const last = tf.tensor1d(furthest, 'int32');
  return tf.maximum(tf.minimum(start, last), tf.zerosLike(last));
}

/** Where each element of a block lies in the flattened array around it, counted from the block's first. */
function placesOf(block: Shape, strides: readonly number[]): Int32Array {
  let places = [0];
  block.forEach((length, axis) => {
    const stride = strides[axis] ?? 0;
    places = places.flatMap((place) => Array.from({ length }, (_, i) => place + i * stride));
  });
  return Int32Array.from(places);
}
