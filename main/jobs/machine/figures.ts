/**
 * Stores what was measured on this machine in the cache folder: compile times, and matrix products (matrix-product.ts). The
 * window's services read it, so nothing here loads the engine.
 */
import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { precisionFor } from '../../../shared/costs/precision.js';
import { SECONDS_PER_OPERATION, type Speed } from '../../../shared/costs/work.js';
import type { Runtime } from '../../engine/runtime/types.js';
import { usableCores } from '../../installation/environment.mjs';
import { cacheFolder } from '../../installation/locations.mjs';
import { readJson, writeJson } from '../../storage/disk/json-file.js';

const figure = z.number().positive();

/** @param file in place of `name` in the cache folder */
export const storedFigures = (name: string, file?: string) => storedValues(name, figure, file);

/** @param file in place of `name` in the cache folder */
export function storedValues<T extends Parameters<typeof writeJson>[1]>(
  name: string,
  schema: z.ZodType<T>,
  file: string = join(cacheFolder(), name),
) {
  const read = () => {
    try {
      return readJson(file, z.record(z.string(), schema)) ?? {};
    } catch {
      return {};
    }
  };
  return {
    get: (key: string): T | undefined => read()[key],
    set(key: string, value: T): void {
      try {
        // Read again: another process may have added to it.
        writeJson(file, { ...read(), [key]: value });
      } catch {
        // A cache that cannot be written must not stop training.
      }
    },
  };
}

/** What a speed depends on: processor, threads, device, TensorFlow. */
export function machineKey({ version, device }: Pick<Runtime, 'version' | 'device'>, threads: number | null): string {
  return [cpus()[0]?.model.trim(), threads ?? usableCores(), device, version].join(', ');
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
