/** The engine's environment in a benchmark: TensorFlow as the command line loads it, or WebGPU, without events. */
import process from 'node:process';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { streams, uniformInt } from '../../../main/engine/rng.js';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import type { Precision, Runtime } from '../../../main/engine/runtime/types.js';
import type { Environment, TokenSource } from '../../../main/engine/types.js';
import { findTensorflow } from '../../../main/installation/locations.mjs';

/** Does the work of one iteration. */
export type Iteration = () => Promise<void>;

/** @throws Error without TensorFlow or WebGPU, because figures would mean nothing */
export async function loadEngine(
  threads: number,
  precision: Precision,
): Promise<{ readonly env: Environment; readonly versions: Readonly<Record<string, string>> }> {
  const compileCache = process.env['VERISIM_BENCH_COMPILED'] ?? null;
  const device = process.env['VERISIM_BENCH_DEVICE'] === 'webgpu' ? 'webgpu' : 'cpu';
  const runtime = await loadRuntime({ ...findTensorflow(), device, threads, precision, compileCache });
  if (runtime.kind === 'wasm') throw new Error(runtime.notice?.code ?? 'there is no TensorFlow');
  return { env: environmentOf(runtime), versions: { [runtime.kind]: runtime.version } };
}

export const environmentOf = (runtime: Runtime): Environment => ({
  runtime,
  emit: () => undefined,
  now: () => performance.now(),
  stop: { requested: false },
  yieldToEventLoop: () => Promise.resolve(),
});

/** Tokens without structure, because the time of a step does not depend on them. */
export function randomTokens(length: number, vocabSize: number): TokenSource {
  return tokensInMemory(Array.from({ length }, (_, index) => uniformInt(1, streams.shuffle, 0, index, vocabSize)));
}
