/**
 * Rotary positions (Su et al. 2021): queries and keys are turned, pair by pair of their numbers, by an angle that grows
 * with the position, so that their product depends on how far apart they are. The pairs are those of transformers: number
 * i with number i + D/2. Frequencies and angles are rounded to float32 where transformers rounds them, so that the tables
 * are the same also for positions in the thousands.
 */
import * as tf from '@tensorflow/tfjs';
import type { LlamaShape, RopeScaling } from '../../../shared/config/model.js';
import { dynamicSlice } from '../runtime/ops.js';
import { startAt } from './layers.js';

export type Rotary = Pick<LlamaShape, 'head_dim' | 'rope_theta' | 'rope_scaling'> & {
  /** Angles are negative; left out: they are not. */
  readonly isClockwise?: boolean;
};

/** Radians by which each pair of a head's numbers turns from one position to the next. (D/2) */
export function rotaryFrequencies({ head_dim: D, rope_theta, rope_scaling: scaling }: Rotary): Float32Array {
  const plain = Float32Array.from({ length: D / 2 }, (_, i) => {
    const wavelength = Math.fround(rope_theta ** Math.fround((2 * i) / D));
    return Math.fround(1 / wavelength);
  });
  if (scaling === undefined) return plain;
  return scaling.type === 'linear'
    ? plain.map((frequency) => frequency / scaling.factor)
    : plain.map((frequency) => stretched(frequency, scaling));
}

/**
 * Llama 3.1's way to longer texts: turns that the original positions hold many of stay, those that they hold less than
 * one of are stretched by the whole factor, and between the two by part of it. (transformers, modeling_rope_utils.py,
 * _compute_llama3_parameters.)
 */
function stretched(frequency: number, scaling: Extract<RopeScaling, { type: 'llama3' }>): number {
  const { factor, low_freq_factor: low, high_freq_factor: high, original_positions } = scaling;
  const turns = (original_positions * frequency) / (2 * Math.PI);
  if (turns < low) return frequency / factor;
  if (turns > high) return frequency;
  const kept = (turns - low) / (high - low);
  return ((1 - kept) * frequency) / factor + kept * frequency;
}

/** Cosines and sines of some positions' angles, (T, D/2) each. */
export type Angles = {
  readonly cos: tf.Tensor;
  readonly sin: tf.Tensor;
};

/** Those of the positions 0 … T − 1. */
export function anglesOf(rotary: Rotary, T: number): Angles {
  const frequencies = rotaryFrequencies(rotary);
  const half = frequencies.length;
  const sign = rotary.isClockwise ? -1 : 1;
  const angles = new Float32Array(T * half);
  for (let t = 0; t < T; t++) for (let i = 0; i < half; i++) angles[t * half + i] = sign * t * (frequencies[i] ?? NaN);
  return { cos: tf.tensor2d(angles.map(Math.cos), [T, half]), sin: tf.tensor2d(angles.map(Math.sin), [T, half]) };
}

/** Those of one position of those below L. */
export function anglesAt(rotary: Rotary, L: number, position: tf.Tensor): Angles {
  const { cos, sin } = anglesOf(rotary, L);
  const at = (table: tf.Tensor) => dynamicSlice(table, startAt(position, 2, 0), [1, rotary.head_dim / 2]);
  return { cos: at(cos), sin: at(sin) };
}

/** Queries or keys (B, T, …, D), turned by the angles of their positions. */
export function rotate(x: tf.Tensor, { cos, sin }: Angles): tf.Tensor {
  const axis = x.rank - 1;
  const [T = 0, half = 0] = cos.shape;
  const ofShape = [T, ...Array.from({ length: x.rank - 3 }, () => 1), half];
  const [c, s] = [tf.reshape(cos, ofShape), tf.reshape(sin, ofShape)];
  const [first, second] = tf.split(x, 2, axis);
  if (!first || !second) throw new Error('a head has two halves');
  const turned = [tf.sub(tf.mul(first, c), tf.mul(second, s)), tf.add(tf.mul(second, c), tf.mul(first, s))];
  return tf.concat(turned, axis);
}
