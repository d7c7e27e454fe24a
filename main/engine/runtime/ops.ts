/** Operations that tfjs lacks, for eager and compiled functions: TensorFlow's own, or JavaScript without TensorFlow. */
import * as tf from '@tensorflow/tfjs';
import type { Scalar, Tensor, Tensor1D, Variable } from '@tensorflow/tfjs';
import { after } from './control-flow.js';
import type { Attrs } from './saved-model.js';
import { ATTR, DT, sizeOf, tensorflowType, type NodeBackend, type OpAttr, type Shape } from './tensorflow.js';
import { tracerOf } from './tracer.js';

/** TensorFlow's backend, or null on tfjs's own. */
function tensorflow(): NodeBackend | null {
  return tf.getBackend() === 'tensorflow' ? (tf.backend() as unknown as NodeBackend) : null;
}

const typeAttribute = (name: string, value: number): OpAttr => ({ name, type: ATTR.TYPE, value });

/**
 * Uniform numbers in [0, 1), multiples of 2^-24, for dropout: a hash of key and index, the same bits on every backend.
 * TensorFlow's own generator (Philox) took 30 to 50 % of a train step under XLA on a CPU; this takes 6 %.
 * @param key int32 [2]; or int32 [rows, 3] for rows of a larger tensor: its key, and the row's index in it
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

/** Columns of the key, (rows, 1) each, and indices in the larger tensor, (rows, width). */
function placesOfRows(shape: Shape, key: Tensor) {
  const [low, high, row] = tf.split(key, 3, 1);
  if (!low || !high || !row || shape[0] !== key.shape[0]) throw new Error('a row has a key of three int32 numbers');
  const width = sizeOf(shape.slice(1));
  const within = tf.reshape(tf.range(0, width, 1, 'int32'), [1, width]);
  return { low, high, places: tf.add(tf.mul(row, tf.scalar(width, 'int32')), within) };
}

/** int32 arithmetic that tfjs lacks; it wraps around. */
function integerOperations(backend: NodeBackend) {
  const attrs = [typeAttribute('T', DT.INT32)];
  const int = (value: number): Tensor => tf.scalar(value | 0, 'int32');
  const binary = (name: string, a: Tensor, b: Tensor): Tensor => backend.executeSingleOutput(name, attrs, [a, b]);
  return {
    xor: (a: Tensor, b: Tensor): Tensor => binary('BitwiseXor', a, b),
    /** A logical right shift; TensorFlow's copies the sign. */
    shift: (a: Tensor, bits: number): Tensor =>
      binary('BitwiseAnd', binary('RightShift', a, int(bits)), int(0xffffffff >>> bits)),
    times: (a: Tensor, factor: number): Tensor => tf.mul(a, int(factor)),
  };
}

/** The hash is "lowbias32" (Chris Wellons, "Prospecting for hash functions", 2018). */
function uniformInJavaScript(shape: Shape, key: Tensor): Float32Array {
  const values = key.dataSync();
  const width = key.rank === 2 ? sizeOf(shape.slice(1)) : sizeOf(shape);
  return Float32Array.from({ length: sizeOf(shape) }, (_, at) => {
    const [low = 0, high = 0, row = 0] = values.subarray(Math.floor(at / width) * 3);
    const mixed = mix(mix(row * width + (at % width) + low) ^ high);
    return ((mixed ^ (mixed >>> 16)) >>> 8) / 2 ** 24;
  });
}

/** A round without its last shift, which the next round would undo. */
function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  return Math.imul(x ^ (x >>> 15), 0x846ca68b);
}

/** Slices `x` at a start that may be computed; it is clamped so that the slice fits. No gradient. @param start int32 [rank of x] */
export function dynamicSlice(x: Tensor, start: Tensor1D, size: Shape): Tensor {
  return tf.tidy(() => {
    const backend = tensorflow();
    if (!backend) {
      const furthest = (axis: number) => (x.shape[axis] ?? 0) - (size[axis] ?? 0);
      const begin = Array.from(start.dataSync(), (at, axis) => Math.max(0, Math.min(at, furthest(axis))));
      return tf.slice(x, begin, [...size]);
    }
    const inside = fitting(x.shape, start, size);
    const attrs = [typeAttribute('T', tensorflowType(x.dtype)), typeAttribute('Index', DT.INT32)];
    return backend.executeSingleOutput('Slice', attrs, [x, inside, tf.tensor1d([...size], 'int32')]);
  });
}

/**
 * Returns `x` with `update` written at `start`, which may be computed and is clamped. XLA works in place where it can, as in a
 * loop's state. No gradient.
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

/** Clamps `start` so that a slice of `size` fits into `shape`. */
function fitting(shape: Shape, start: Tensor1D, size: Shape): Tensor1D {
  const furthest = shape.map((length, axis) => length - (size[axis] ?? 0));
  const last = tf.tensor1d(furthest, 'int32');
  return tf.maximum(tf.minimum(start, last), tf.zerosLike(last));
}

/** Offsets of a block's elements in the flattened array around it. */
function placesOf(block: Shape, strides: readonly number[]): Int32Array {
  let places = [0];
  block.forEach((length, axis) => {
    const stride = strides[axis] ?? 0;
    places = places.flatMap((place) => Array.from({ length }, (_, i) => place + i * stride));
  });
  return Int32Array.from(places);
}

/** The sum of squares, without an array of them. No gradient. */
export function sumOfSquares(x: Tensor): Scalar {
  const backend = tensorflow();
  if (!backend) return tf.sum(tf.square(x));
  return tf.mul(backend.executeSingleOutput('L2Loss', [typeAttribute('T', DT.FLOAT)], [x]), 2);
}

/**
 * Computes −log p of each label and its derivative by the scores, p minus 1 at the label. No gradient.
 * @param logits (rows, V)
 * @param labels int32 (rows)
 */
export function sparseCrossEntropy(
  logits: Tensor,
  labels: Tensor,
): { readonly loss: Tensor; readonly gradient: Tensor } {
  const backend = tensorflow();
  if (!backend) {
    const logs = tf.logSoftmax(logits);
    const places = tf.oneHot(labels as tf.Tensor1D, logits.shape[1] ?? 0);
    return { loss: tf.neg(tf.sum(tf.mul(logs, places), -1)), gradient: tf.sub(tf.exp(logs), places) };
  }
  const attrs = [typeAttribute('T', DT.FLOAT), typeAttribute('Tlabels', DT.INT32)];
  const [loss, gradient] = backend.executeMultipleOutputs(
    'SparseSoftmaxCrossEntropyWithLogits',
    attrs,
    [logits, labels],
    2,
  );
  if (!loss || !gradient) throw new Error('cross-entropy has two outputs');
  return { loss, gradient };
}

interface Moments {
  readonly parameter: Variable;
  readonly m: Variable;
  readonly v: Variable;
}

interface AdamStep {
  readonly beta1: number;
  readonly beta2: number;
  /** Scalars: the parameter is multiplied by `decay`, if given, then moved by rate · m / (√v + epsilon). */
  readonly rate: Tensor;
  readonly epsilon: Tensor;
  readonly decay?: Tensor | undefined;
}

/** One step of Adam (Kingma & Ba 2015). In a compiled function variables are updated in place, to save memory. */
export function adamInPlace(
  { parameter, m, v }: Moments,
  gradient: Tensor,
  { beta1, beta2, rate, epsilon, decay }: AdamStep,
): void {
  const tracer = tracerOf(tf.backend());
  if (!tracer?.tracing) {
    const newM = tf.add(tf.mul(m, beta1), tf.mul(gradient, 1 - beta1));
    const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(gradient), 1 - beta2));
    const moved = tf.div(tf.mul(newM, rate), tf.add(tf.sqrt(newV), epsilon));
    parameter.assign(tf.sub(decay ? tf.mul(parameter, decay) : parameter, moved));
    m.assign(newM);
    v.assign(newV);
    return;
  }
  const T: Attrs[string] = { kind: 'type', value: tensorflowType(parameter.dtype) };
  if (decay) {
    // In turn, or the decayed weights of all parameters would be in memory at once.
    tracer.update('AssignVariableOp', [parameter], [tf.mul(after(parameter), decay)], { dtype: T });
  }
  const none = tf.scalar(0);
  // Bias corrections are in `rate` and `epsilon`, so the powers of the betas are 0.
  const inputs = [none, none, rate, tf.scalar(beta1), tf.scalar(beta2), epsilon, gradient];
  const attrs: Attrs = {
    T,
    use_locking: { kind: 'bool', value: false },
    use_nesterov: { kind: 'bool', value: false },
  };
  tracer.update('ResourceApplyAdam', [parameter, m, v], inputs, attrs);
}
