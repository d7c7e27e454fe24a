/**
 * How long XLA will take to compile a function, so that a person who waits can be told: as long for each operation as it
 * took on this machine before.
 */
import { keptFigures } from './kept-figures.js';

/** Before anything was measured: about what a processor of 2023 takes with two threads. */
const SECONDS_PER_OPERATION = 0.003;
/** Of small functions most of the time is their first run. */
const LEAST_OPERATIONS = 200;

export interface CompileTime {
  /** Seconds that compiling a function of so many operations will take; it begins now. */
  begins(operations: number): number;
  /** What began last has been compiled. */
  took(operations: number): void;
}

/**
 * @param machine what the time depends on
 * @param options.now milliseconds
 * @param options.file where it is kept, in place of the cache folder's
 */
export function createCompileTime(
  machine: string,
  { now = () => performance.now(), file }: { readonly now?: () => number; readonly file?: string } = {},
): CompileTime {
  const kept = keptFigures('compile-time.json', file);
  const key = `${machine}, seconds per operation`;
  let started = now();
  return {
    begins(operations) {
      started = now();
      return operations * (kept.get(key) ?? SECONDS_PER_OPERATION);
    },
    took(operations) {
      if (operations < LEAST_OPERATIONS) return;
      const measured = (now() - started) / 1000 / operations;
      const before = kept.get(key);
      // Half of it the last time, half of it all before: other programs disturb single figures, and a machine that slept
      // in between took longest of all.
      if (measured > 0) kept.set(key, before === undefined ? measured : (before + Math.min(measured, 2 * before)) / 2);
    },
  };
}
