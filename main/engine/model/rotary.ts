/**
 * Rotary positions (Su et al. 2021): pairs of a query's or key's numbers are rotated by an angle proportional to the position. As in
 * transformers, number i is paired with i + D/2, and frequencies and angles are rounded to float32.
 */
import * as tf from '@tensorflow/tfjs';
import type { LlamaShape, RopeScaling } from '../../../shared/config/model.js';
import { dynamicSlice } from '../runtime/ops.js';
import { startAt } from './layers.js';

export type Rotary = Pick<LlamaShape, 'head_dim' | 'rope_theta' | 'rope_scaling'> & {
  /** Whether angles are negative. */
  readonly isClockwise?: boolean;
};

/** Radians per position of each pair. (D/2) */
export function rotaryFrequencies({ head_dim: D, rope_theta, rope_scaling: scaling }: Rotary): Float32Array {
  const plain = Float32Array.from({ length: D / 2 }, (_, i) => {
    const wavelength = Math.fround(rope_theta ** Math.fround((2 * i) / D));
    return Math.fround(1 / wavelength);
  });
  if (scaling === undefined) return plain;
  return scaling.type === 'linear'
    ? plain.map((frequency) => frequency / scaling.factor)
    : plain.map((frequency) => scaled(frequency, scaling));
}

/**
 * Llama 3.1's scaling for longer texts: high frequencies are unchanged, low ones divided by the factor, with interpolation between
 * (transformers, modeling_rope_utils.py, _compute_llama3_parameters).
 */
function scaled(frequency: number, scaling: Extract<RopeScaling, { type: 'llama3' }>): number {
  const { factor, low_freq_factor: low, high_freq_factor: high, original_positions } = scaling;
  const turns = (original_positions * frequency) / (2 * Math.PI);
  if (turns < low) return frequency / factor;
  if (turns > high) return frequency;
  const share = (turns - low) / (high - low);
  return ((1 - share) * frequency) / factor + share * frequency;
}

/** Cosines and sines of positions, (T, D/2) each. */
export type Angles = {
  readonly cos: tf.Tensor;
  readonly sin: tf.Tensor;
};

/** Angles of positions 0 … T − 1. */
export function anglesOf(rotary: Rotary, T: number): Angles {
  const frequencies = rotaryFrequencies(rotary);
  const half = frequencies.length;
  const sign = rotary.isClockwise ? -1 : 1;
  const angles = new Float32Array(T * half);
  for (let t = 0; t < T; t++) for (let i = 0; i < half; i++) angles[t * half + i] = sign * t * (frequencies[i] ?? NaN);
  return { cos: tf.tensor2d(angles.map(Math.cos), [T, half]), sin: tf.tensor2d(angles.map(Math.sin), [T, half]) };
}

/** Angles of one position below L. */
export function anglesAt(rotary: Rotary, L: number, position: tf.Tensor): Angles {
  const { cos, sin } = anglesOf(rotary, L);
  const at = (table: tf.Tensor) => dynamicSlice(table, startAt(position, 2, 0), [1, rotary.head_dim / 2]);
  return { cos: at(cos), sin: at(sin) };
}

/** Rotates queries or keys (B, T, …, D) by the angles of their positions. */
export function rotate(x: tf.Tensor, { cos, sin }: Angles): tf.Tensor {
  const axis = x.rank - 1;
  const [T = 0, half = 0] = cos.shape;
  const ofShape = [T, ...Array.from({ length: x.rank - 3 }, () => 1), half];
  const [c, s] = [tf.reshape(cos, ofShape), tf.reshape(sin, ofShape)];
  const [first, second] = tf.split(x, 2, axis);
  if (!first || !second) throw new Error('a head has two halves');
  const rotated = [tf.sub(tf.mul(first, c), tf.mul(second, s)), tf.add(tf.mul(second, c), tf.mul(first, s))];
  return tf.concat(rotated, axis);
}
