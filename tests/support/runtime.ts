/**
 * Runtimes for tests: the real TensorFlow as set-up provides it, and the fallback in WASM. tfjs has one backend at
 * a time and a process cannot unload TensorFlow, so a test file uses one of the two.
 */
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { EagerSession } from '../../main/engine/runtime/eager-session.js';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import type { Runtime, Session, SessionOptions } from '../../main/engine/runtime/types.js';
import { cacheFolder, findTensorflow } from '../../main/installation/locations.mjs';

/**
 * Where tests keep compiled functions, apart from a person's: most of a small run is compiling, of what another file of
 * tests, or the run before, has compiled already. That what comes back from it is the same is engine/runtime/determinism's.
 */
export const compiledForTests = join(cacheFolder(), 'compiled-for-tests');

/** Found before a test sets the environment to another. */
const tensorflow = findTensorflow();

/**
 * The runtime with TensorFlow.
 * @throws Error when TensorFlow is not there: what these tests check needs it
 */
export async function testRuntime(): Promise<Runtime> {
  const runtime = await loadRuntime({ ...tensorflow, device: 'cpu', compileCache: compiledForTests });
  if (runtime.kind !== 'tensorflow')
    throw new Error(runtime.notice?.code ?? 'TensorFlow is needed; run: npm run setup');
  return runtime;
}

/** The runtime without TensorFlow. */
export const wasmRuntime = (): Promise<Runtime> => loadRuntime({ bindingPath: null });

/** tfjs's own `cpu` backend, which computed without TensorFlow until WASM did: for folders that it made. Very slow. */
export async function plainRuntime(): Promise<Runtime> {
  const runtime = await wasmRuntime();
  await tf.setBackend('cpu');
  return { ...runtime, createSession: () => new EagerSession() };
}

/** How a function runs: operation by operation, as one TensorFlow graph, or as one that XLA compiles. */
export type Way = 'eager' | 'graph' | 'xla';
export const ways: readonly Way[] = ['eager', 'graph', 'xla'];

/** Gives `use` a session and frees it. `xla` is what to pass to `compile`. */
export async function withSession<T>(
  way: Way,
  use: (session: Session, xla: boolean) => T | Promise<T>,
  options: SessionOptions = {},
): Promise<T> {
  const runtime = await testRuntime();
  const session = runtime.createSession({ ...options, compiled: way !== 'eager' });
  try {
    return await use(session, way === 'xla');
  } finally {
    session.dispose();
  }
}

/** The same, and how much its last function had XLA compile (`operations`, main/engine/runtime/graph.ts). */
export async function withCompiling<T>(
  way: Way,
  use: (session: Session, xla: boolean) => T | Promise<T>,
): Promise<{ readonly result: T; readonly compiled: number }> {
  let compiled = 0;
  const onPhase: SessionOptions['onPhase'] = (phase, _name, operations = 0) => {
    if (phase === 'compile') compiled = operations;
  };
  return { result: await withSession(way, use, { onPhase }), compiled };
}

/** Numbers between -1 and 1, always the same. */
export const knownNumbers = (n: number, seed: number) =>
  Float32Array.from({ length: n }, (_, i) => Math.sin(seed + 1.7 * i));

/** Values and shapes of tensors, which are disposed. */
export function taken(tensors: readonly tf.Tensor[]): { shape: number[]; dtype: string; values: number[] }[] {
  return tensors.map((tensor) => {
    const result = { shape: tensor.shape, dtype: tensor.dtype as string, values: Array.from(tensor.dataSync()) };
    tensor.dispose();
    return result;
  });
}

/** The largest difference between two lists, relative to `max(1, |expected|)`; infinite where only one is NaN or ∞. */
export function difference(actual: readonly number[], expected: readonly number[]): number {
  if (actual.length !== expected.length) return Infinity;
  return actual.reduce((worst, value, i) => {
    const wanted = expected[i] ?? NaN;
    if (Object.is(value, wanted) || value === wanted) return worst;
    const off = Math.abs(value - wanted) / Math.max(1, Math.abs(wanted));
    return Number.isNaN(off) ? Infinity : Math.max(worst, off);
  }, 0);
}

/**
 * The first numbers of `statelessUniform` for key [1, 2], times 2^24, on every backend. Computed apart from it,
 * in Python's whole numbers.
 */
export const uniformKnown: readonly number[] = [2824414, 7169191, 4340916, 10525771];
