/**
 * Operations that tfjs lacks, for eager and compiled functions alike: any TensorFlow operation can be run through the
 * backend, and where there is no TensorFlow a plain JavaScript equivalent takes its place.
 */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Tensor1D } from '@tensorflow/tfjs';
import { ATTR, DT, sizeOf, tensorflowType, type NodeBackend, type OpAttr, type Shape } from './tensorflow.js';
import { tracerOf } from './tracer.js';
import { flatten, type TensorTree } from './tree.js';

/** TensorFlow's backend, or null on tfjs's own. */
export function tensorflow(): NodeBackend | null {
  return tf.getBackend() === 'tensorflow' ? (tf.backend() as unknown as NodeBackend) : null;
}

export const typeAttribute = (name: string, value: number): OpAttr => ({ name, type: ATTR.TYPE, value });

/**
 * Uniform numbers in [0, 1), multiples of 2^-24: a function of the key and the place alone, the same bits on every
 * backend. For dropout. It is a hash of the place, keyed twice, and not TensorFlow's own generator (Philox), which cost
 * XLA on a CPU 30 to 50 % of a train step with dropout in every layer where this costs 6 %.
 * @param key int32 [2]; or int32 [rows, 3], where what is numbered is a part of something larger: the key of each row (the
 *   first axis), and which row of its whole it is
 */
export function statelessUniform(shape: Shape, key: Tensor): Tensor {
  const backend = tensorflow();
  if (!backend) return tf.tensor(uniformInJavaScript(shape, key), [...shape]);
  const { xor, shift, times } = integerOperations(backend);
  const mix = (x: Tensor): Tensor =>
    [
      [16, 0x7feb352d],
      [15, 0x846ca68b],
    ].reduce((h, [bits = 0, factor = 0]) => times(xor(h, shift(h, bits)), factor), x);
  return tf.tidy(() => {
    const { low, high, places } = key.rank === 2 ? placesOfRows(shape, key) : placesOfAll(shape, key);
    const mixed = mix(xor(mix(tf.add(places, low)), high));
    const bits = shift(xor(mixed, shift(mixed, 16)), 8);
    return tf.reshape(tf.mul(tf.cast(bits, 'float32'), 2 ** -24), [...shape]);
  });
}

function placesOfAll(shape: Shape, key: Tensor) {
  const [low, high] = tf.unstack(key);
  if (!low || !high) throw new Error('a key is two int32 numbers');
  return { low, high, places: tf.range(0, sizeOf(shape), 1, 'int32') as Tensor };
}

/** The key's columns, (rows, 1) each, and where each number would be in its whole, (rows, numbers of a row). */
function placesOfRows(shape: Shape, key: Tensor) {
  const [low, high, row] = tf.split(key, 3, 1);
  if (!low || !high || !row || shape[0] !== key.shape[0]) throw new Error('a row has a key of three int32 numbers');
  const width = sizeOf(shape.slice(1));
  const within = tf.reshape(tf.range(0, width, 1, 'int32'), [1, width]);
  return { low, high, places: tf.add(tf.mul(row, tf.scalar(width, 'int32')), within) };
}

/** int32 arithmetic that tfjs has no names for; all of it wraps around. */
function integerOperations(backend: NodeBackend) {
  const attrs = [typeAttribute('T', DT.INT32)];
  const int = (value: number): Tensor => tf.scalar(value | 0, 'int32');
  const binary = (name: string, a: Tensor, b: Tensor): Tensor => backend.executeSingleOutput(name, attrs, [a, b]);
  return {
    xor: (a: Tensor, b: Tensor): Tensor => binary('BitwiseXor', a, b),
    /** To the right, zeros from the left; TensorFlow's own shift of signed numbers copies the sign. */
    shift: (a: Tensor, bits: number): Tensor =>
      binary('BitwiseAnd', binary('RightShift', a, int(bits)), int(0xffffffff >>> bits)),
    times: (a: Tensor, factor: number): Tensor => tf.mul(a, int(factor)),
  };
}

/** The same in JavaScript. The hash is "lowbias32" (Chris Wellons, "Prospecting for hash functions", 2018). */
function uniformInJavaScript(shape: Shape, key: Tensor): Float32Array {
  const values = key.dataSync();
  const width = key.rank === 2 ? sizeOf(shape.slice(1)) : sizeOf(shape);
  return Float32Array.from({ length: sizeOf(shape) }, (_, at) => {
    const [low = 0, high = 0, row = 0] = values.subarray(Math.floor(at / width) * 3);
    const mixed = mix(mix(row * width + (at % width) + low) ^ high);
    return ((mixed ^ (mixed >>> 16)) >>> 8) / 2 ** 24;
  });
}

/** Without its last shift, which the first of the next round would undo; after the last round it is done apart. */
function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  return Math.imul(x ^ (x >>> 15), 0x846ca68b);
}

/**
 * While `condition` holds, makes the next state from the last: one graph when compiled, a JavaScript loop when not.
 * Both functions may use tensors and variables around them, but not assign; the state keeps its structure, types and shapes.
 * @param condition returns one scalar of type bool
 * @returns the last state, new tensors
 */
export function whileLoop<const S extends TensorTree>(
  condition: (state: S) => Tensor,
  body: (state: S) => S,
  state: S,
): S {
  const { leaves, rebuild } = flatten(state);
  const conditionOf = (...args: Tensor[]): Tensor => condition(rebuild(args));
  const bodyOf = (...args: Tensor[]): readonly Tensor[] => flatten(body(rebuild(args))).leaves;
  const traced = tracerOf(tf.backend())?.whileLoop((...args) => [conditionOf(...args)], bodyOf, leaves);
  if (traced) return rebuild(traced);
  let current: readonly Tensor[] = leaves.map((tensor) => tensor.clone());
  while (tf.tidy(() => conditionOf(...current).dataSync()[0])) {
    // Clones: a body may pass a tensor through, which is then disposed with the old state.
    const next = tf.tidy(() => bodyOf(...current).map((tensor) => tensor.clone()));
    tf.dispose([...current]);
    current = next;
  }
  return rebuild(current);
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
    const attrs = [typeAttribute('T', tensorflowType(x.dtype)), typeAttribute('Index', DT.INT32)];
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
    const attrs = [typeAttribute('T', tensorflowType(x.dtype)), typeAttribute('Tindices', DT.INT32)];
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
