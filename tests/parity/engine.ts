/** The real runtime for parity tests: TensorFlow as it was set up, in both ways of running a function. */
import * as tf from '@tensorflow/tfjs';
import type { CompileOptions, Session } from '../../main/engine/runtime/types.js';
import { testRuntime } from '../support/runtime.js';

/** How functions run: operation by operation, as one TensorFlow graph, or as one that XLA compiles. */
export type Way = 'eager' | 'graph' | 'xla';

/** XLA takes seconds for each function: it is tried once for training and once for GRPO, the others everywhere. */
export const WAYS: readonly Way[] = ['eager', 'graph'];

export const compileAs = (way: Way, name: string): CompileOptions => ({ name, xla: way === 'xla' });

/**
 * Runs `use` with a fresh session, frees it, and returns the result.
 * @throws Error without TensorFlow: parity of the fallback would prove nothing about the product's engine
 */
export async function withSession<T>(way: Way, use: (session: Session) => T): Promise<T> {
  const runtime = await testRuntime();
  const session = runtime.createSession({ compiled: way !== 'eager' });
  try {
    return use(session);
  } finally {
    session.dispose();
  }
}

export const intTensor = (rows: readonly (readonly number[])[]): tf.Tensor2D =>
  tf.tensor2d(Int32Array.from(rows.flat()), [rows.length, rows[0]?.length ?? 0], 'int32');

export const floatTensor = (rows: readonly (readonly number[])[]): tf.Tensor2D =>
  tf.tensor2d(Float32Array.from(rows.flat()), [rows.length, rows[0]?.length ?? 0]);

/** The inputs of next-token prediction: all but the last token of each row, and all but the first. */
export function inputsAndLabels(rows: readonly (readonly number[])[]): [tf.Tensor2D, tf.Tensor2D] {
  return [intTensor(rows.map((row) => row.slice(0, -1))), intTensor(rows.map((row) => row.slice(1)))];
}

/** The values of tensors by name; frees the tensors. */
export function take(names: readonly string[], tensors: readonly tf.Tensor[]): Record<string, Float32Array> {
  const values = Object.fromEntries(names.map((name, i) => [name, Float32Array.from(tensors[i]?.dataSync() ?? [])]));
  tf.dispose([...tensors]);
  return values;
}

export function takeNumber(tensor: tf.Tensor | undefined): number {
  const [value = Number.NaN] = tensor?.dataSync() ?? [];
  tensor?.dispose();
  return value;
}
