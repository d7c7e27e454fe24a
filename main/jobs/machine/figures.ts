/**
 * What was measured of this machine and need not be measured again: a file of the cache folder, one number under each
 * name. It may be removed at any time; what cannot be read or written is measured again. How long compiling takes is one
 * of these figures; how fast a matrix product is, the other (matrix-product.ts).
 */
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { SECONDS_PER_OPERATION } from '../../../shared/costs/work.js';
import type { Runtime } from '../../engine/runtime/types.js';
import { cacheFolder } from '../../installation/locations.mjs';
import { readJson, writeJson } from '../../storage/disk/json-file.js';

const schema = z.record(z.string(), z.number().positive());

/** @param file in place of `name` in the cache folder */
export function keptFigures(name: string, file: string = join(cacheFolder(), name)) {
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
        // A cache that cannot be written is no reason not to train.
      }
    },
  };
}

/** What a speed depends on: processor, threads, device, TensorFlow. */
export function machineKey({ version, device }: Pick<Runtime, 'version' | 'device'>, threads: number | null): string {
  return [cpus()[0]?.model.trim(), threads ?? availableParallelism(), device, version].join(', ');
}

/** Of small functions most of the time is their first run. */
const MIN_OPERATIONS = 70;

const COMPILE_TIME = 'compile-time.json';
const compileKey = (machine: string) => `${machine}, seconds per kind of operation`;

/** Seconds to compile an operation, as it was measured here, or a guess. @param machine what the time depends on */
export const compileSeconds = (machine: string): number =>
  keptFigures(COMPILE_TIME).get(compileKey(machine)) ?? SECONDS_PER_OPERATION;

export type CompileTime = ReturnType<typeof createCompileTime>;

/**
 * How long XLA will take to compile a function, so that a person who waits can be told: as long for each operation as it
 * took on this machine before.
 * @param machine what the time depends on
 * @param options.now milliseconds
 * @param options.file where it is kept, in place of the cache folder's
 */
export function createCompileTime(
  machine: string,
  { now = () => performance.now(), file }: { readonly now?: () => number; readonly file?: string } = {},
) {
  const kept = keptFigures(COMPILE_TIME, file);
  const key = compileKey(machine);
  let started = now();
  return {
    /** Seconds that compiling a function of so many operations will take; it begins now. */
    begins(operations: number): number {
      started = now();
      return operations * (kept.get(key) ?? SECONDS_PER_OPERATION);
    },
    /** What began last has been compiled. */
    took(operations: number): void {
      if (operations < MIN_OPERATIONS) return;
      const measured = (now() - started) / 1000 / operations;
      const before = kept.get(key);
      // Half of it the last time, half of it all before: other programs disturb single figures, and a machine that slept
      // in between took longest of all.
      if (measured > 0) kept.set(key, before === undefined ? measured : (before + Math.min(measured, 2 * before)) / 2);
    },
  };
}
