/**
 * The engine's world in a benchmark: TensorFlow as the command line loads it, no events, and a clock on TensorFlow's
 * session runs, so that what the engine adds to them shows.
 */
import process from 'node:process';
import * as tf from '@tensorflow/tfjs';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { streams, uniformInt } from '../../../main/engine/rng.js';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import type { NodeBackend } from '../../../main/engine/runtime/tensorflow.js';
import type { Precision, Runtime, Session } from '../../../main/engine/runtime/types.js';
import type { Environment, TokenSource } from '../../../main/engine/types.js';
import { findTensorflow } from '../../../main/installation/locations.mjs';
import type { Sample } from '../rows.js';

export interface Engine {
  readonly env: Environment;
  readonly version: string;
  /** Runs a first operation. */
  warmUp(): number;
  /** Times `work`, and how much of it was inside TensorFlow's session. */
  timed(work: () => Promise<void>): Promise<Sample>;
}

/** Milliseconds in session runs so far; `first` are those in which XLA compiles. */
interface SessionClock {
  inside: number;
  first: number;
  isFirst: boolean;
}

/** @throws Error where there is no TensorFlow: its figures would mean nothing */
export async function loadEngine(
  threads: number | null,
  withXla: boolean,
  precision: Precision = 'f32',
): Promise<Engine> {
  const compileCache = process.env['VERISIM_BENCH_COMPILED'] ?? null;
  const runtime = await loadRuntime({ ...findTensorflow(), device: 'cpu', threads, precision, compileCache });
  if (runtime.kind !== 'tensorflow') throw new Error(runtime.notice ?? 'there is no TensorFlow');
  const clock: SessionClock = { inside: 0, first: 0, isFirst: false };
  watchSession(tf.backend() as unknown as NodeBackend, clock);
  const env: Environment = {
    runtime: { ...runtime, createSession: (options) => session(runtime, options, withXla, clock) },
    emit: () => undefined,
    now: () => performance.now(),
    stop: { requested: false },
    yieldToEventLoop: () => Promise.resolve(),
  };
  return {
    env,
    version: runtime.version,
    warmUp: () => tf.tidy(() => tf.sum(tf.ones([2, 2])).dataSync()[0] ?? NaN),
    async timed(work) {
      const [inside, first, started] = [clock.inside, clock.first, performance.now()];
      await work();
      const ms = performance.now() - started;
      return { ms, session_ms: clock.inside - inside, compile_ms: clock.first - first };
    },
  };
}

/** Times the one call of the binding through which every compiled function runs. */
function watchSession(backend: NodeBackend, clock: SessionClock): void {
  const { binding } = backend;
  const run: typeof binding.runSavedModel = (...args) => {
    const started = performance.now();
    try {
      return binding.runSavedModel(...args);
    } finally {
      const ms = performance.now() - started;
      clock.inside += ms;
      if (clock.isFirst) clock.first += ms;
      clock.isFirst = false;
    }
  };
  // Native functions are read-only: one in front of them, for the backend alone.
  const watched = Object.create(binding, { runSavedModel: { value: run } }) as typeof binding;
  Object.defineProperty(backend, 'binding', { value: watched });
}

function session(
  runtime: Runtime,
  options: Parameters<Runtime['createSession']>[0],
  withXla: boolean,
  clock: SessionClock,
): Session {
  const made = runtime.createSession({
    ...options,
    onPhase: (phase) => {
      if (phase === 'compile') clock.isFirst = true;
    },
  });
  if (withXla) return made;
  return {
    variable: (...args) => made.variable(...args),
    compile: (fn, compileOptions) => made.compile(fn, { ...compileOptions, xla: false }),
    read: (variable) => made.read(variable),
    readAll: (variables) => made.readAll(variables),
    write: (variable, values) => {
      made.write(variable, values);
    },
    dispose: () => {
      made.dispose();
    },
  };
}

/** Tokens without any structure: how long a step takes does not depend on them. */
export function randomTokens(length: number, vocabSize: number): TokenSource {
  return tokensInMemory(Array.from({ length }, (_, index) => uniformInt(1, streams.shuffle, 0, index, vocabSize)));
}
