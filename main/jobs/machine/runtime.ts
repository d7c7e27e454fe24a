/**
 * Loads the engine's runtime for a job's first use, as the settings say, and reports when it compiles. What was measured on
 * this machine is stored in the cache folder: compile times, and matrix products (matrix-product.ts).
 */
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { machineConfigSchema } from '../../../shared/config/machine.js';
import { precisionFor } from '../../../shared/costs/precision.js';
import { SECONDS_PER_OPERATION, type Speed } from '../../../shared/costs/work.js';
import { localized } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import type { Runtime, SessionOptions } from '../../engine/runtime/types.js';
import { cacheFolder, findTensorflow } from '../../installation/locations.mjs';
import { readJson, writeJson } from '../../storage/disk/json-file.js';
import { notice, type JobContext } from '../types.js';

/** Functions of a small model take a second. */
const WORTH_REPORTING_SECONDS = 1;

/** Whether bfloat16 has nothing to offer to a model of these settings. */
function isNarrow(settings: object): boolean {
  const { n_embd } = settings as { readonly n_embd?: unknown };
  return typeof n_embd === 'number' && precisionFor('auto', { n_embd }) === 'f32';
}

export function createRuntimeLoader(
  config: Readonly<Record<string, unknown>>,
  emit: (event: JobEvent) => void,
): JobContext['runtime'] {
  let loading: Promise<Runtime> | null = null;
  const load: JobContext['runtime'] = async (chosen) => {
    const { loadRuntime } = await import('../../engine/runtime/native.js');
    const machine = chosen ?? machineConfigSchema.parse(config);
    const runtime = await loadRuntime({
      ...findTensorflow(),
      threads: machine.threads,
      device: machine.device,
      compileCache: join(cacheFolder(), 'compiled'),
      precision: isNarrow(chosen ?? config) && machine.precision === 'auto' ? 'f32' : machine.precision,
    });
    if (runtime.notice !== null) emit(notice('runtime_fallback', runtime.notice, 'warning'));
    const compileTime = createCompileTime(machineKey(runtime, machine.threads));
    const onPhase: SessionOptions['onPhase'] = (phase, _name, operations = 0) => {
      if (phase === 'compiled') compileTime.took(operations);
      if (phase !== 'compile') return;
      const seconds = Math.ceil(compileTime.begins(operations));
      if (seconds > WORTH_REPORTING_SECONDS)
        emit({ event: 'compiling', seconds, message: localized('run.compiling', { seconds }) });
    };
    const { bfloat16Pays } = await import('./matrix-product.js');
    // `auto` leaves the choice to the engine only if there is something to gain from it.
    const only32 = runtime.precision === 'auto' && !(await bfloat16Pays(runtime, machine.threads));
    const precision = only32 ? 'f32' : runtime.precision;
    return { ...runtime, precision, createSession: (options) => runtime.createSession({ onPhase, ...options }) };
  };
  return (machine) => (loading ??= load(machine));
}

const schema = z.record(z.string(), z.number().positive());

/** @param file in place of `name` in the cache folder */
export function storedFigures(name: string, file: string = join(cacheFolder(), name)) {
  const read = () => {
    try {
      return readJson(file, schema) ?? {};
    } catch {
      return {};
    }
  };
  return {
    get: (key: string): number | undefined => read()[key],
    set(key: string, figure: number): void {
      try {
        // Read again: another process may have added to it.
        writeJson(file, { ...read(), [key]: figure });
      } catch {
        // A cache that cannot be written must not stop training.
      }
    },
  };
}

/** What a speed depends on: processor, threads, device, TensorFlow. */
export function machineKey({ version, device }: Pick<Runtime, 'version' | 'device'>, threads: number | null): string {
  return [cpus()[0]?.model.trim(), threads ?? availableParallelism(), device, version].join(', ');
}

/** The first run takes most of the time of functions with fewer operations. */
const MIN_OPERATIONS = 70;

const COMPILE_TIME = 'compile-time.json';
// eslint-disable-next-line house/no-sentences -- a key of the file
const compileKey = (machine: string) => `${machine}, seconds per kind of operation`;

/** Seconds to compile an operation, measured or guessed. @param machine its machineKey */
export const compileSeconds = (machine: string): number =>
  storedFigures(COMPILE_TIME).get(compileKey(machine)) ?? SECONDS_PER_OPERATION;

/**
 * Predicts XLA's compile time of a function from the time per operation on this machine.
 * @param machine its machineKey
 * @param options.now milliseconds
 * @param options.file in place of the cache folder's
 */
export function createCompileTime(
  machine: string,
  { now = () => performance.now(), file }: { readonly now?: () => number; readonly file?: string } = {},
) {
  const { get, set } = storedFigures(COMPILE_TIME, file);
  const key = compileKey(machine);
  let started = now();
  return {
    /** Returns the seconds that compiling a function of so many operations will take; it starts now. */
    begins(operations: number): number {
      started = now();
      return operations * (get(key) ?? SECONDS_PER_OPERATION);
    },
    /** Learns from the function that was just compiled. */
    took(operations: number): void {
      if (operations < MIN_OPERATIONS) return;
      const measured = (now() - started) / 1000 / operations;
      const before = get(key);
      // A running average, bounded: other programs disturb single figures, and the machine may have slept.
      if (measured > 0) set(key, before === undefined ? measured : (before + Math.min(measured, 2 * before)) / 2);
    },
  };
}

/** Returns the speed for a network: wide ones train in bfloat16 if the machine gains from it. */
export function speedOf(network: { readonly n_embd: number }, speed: Speed): Speed {
  const precision = precisionFor(speed.precision, network);
  return { ...speed, precision, training: precision === 'bf16' ? (speed.wide ?? speed.training) : speed.training };
}
