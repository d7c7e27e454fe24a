/** Runs a compiled function on many rows of ids, in batches of few shapes: each shape is compiled on its own. */
import * as tf from '@tensorflow/tfjs';
import { SCORING_BATCHES } from '../../../shared/config/reward-model.js';
import { alone, gatherNumbers, shareOf } from '../team.js';
import { valuesOf } from '../runtime/reading.js';
import type { Environment, TokenIds } from '../types.js';

/** Each rank of a team computes its part of the rows, and all have the result. @returns (count, width) flat */
export async function scoreRows(
  ids: TokenIds,
  blockSize: number,
  width: number,
  run: (ids: tf.Tensor) => tf.Tensor,
  env: Environment,
): Promise<Float32Array> {
  const { team } = env;
  const { first: start, end } = shareOf(team ?? alone, ids.length / blockSize);
  const own = ids.subarray(start * blockSize, end * blockSize);
  const count = end - start;
  const result = new Float32Array(count * width);
  const size = SCORING_BATCHES.find((rows) => rows >= count) ?? SCORING_BATCHES[1];
  for (let first = 0; first < count; first += size) {
    const rows = Math.min(size, count - first);
    const batch = new Int32Array(size * blockSize);
    batch.set(own.subarray(first * blockSize, (first + rows) * blockSize));
    const input = tf.tensor2d(batch, [size, blockSize]);
    const output = run(input);
    result.set((await valuesOf(output)).subarray(0, rows * width), first * width);
    tf.dispose([input, output]);
    await env.yieldToEventLoop();
  }
  return team ? gatherNumbers(team, result) : result;
}

/** Maps (count, width) flat to (count, resultWidth) flat, row by row. */
export function eachRow(
  values: Float32Array,
  width: number,
  resultWidth: number,
  of: (row: Float32Array) => ArrayLike<number>,
): Float32Array {
  const count = values.length / width;
  const result = new Float32Array(count * resultWidth);
  for (let row = 0; row < count; row++) {
    result.set(of(values.subarray(row * width, (row + 1) * width)), row * resultWidth);
  }
  return result;
}

/** (count, 2) flat to (count). */
export const firstColumn = (pairs: Float32Array): Float32Array =>
  Float32Array.from({ length: pairs.length / 2 }, (_, row) => pairs[row * 2] ?? NaN);
