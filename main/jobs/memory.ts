/** Refuses, before anything begins, a run that cannot fit into this machine's memory, and says which batch would. */
import { totalmem } from 'node:os';
import process from 'node:process';
import { UserError } from '../../shared/errors.js';
import type { Runtime } from '../engine/runtime/types.js';
import { largestBatch } from '../engine/memory.js';

/** Bytes that a process may use: the machine's, or those that its container is limited to. */
export function memoryLimit(): number {
  // 0 or undefined: no limit.
  const constrained = (process as { constrainedMemory?: () => number | undefined }).constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * @param field the setting that says how many rows a step takes, and its value
 * @param bytesFor bytes at the peak with so many rows
 * @throws UserError `out_of_memory`
 */
export function mustFitInMemory(
  { field, rows }: { readonly field: string; readonly rows: number },
  bytesFor: (rows: number) => number,
  { device }: Pick<Runtime, 'device'>,
  available = memoryLimit(),
): void {
  // A graphics card has memory of its own, of which TensorFlow tells nothing here.
  if (device === 'cuda') return;
  const needed = bytesFor(rows);
  const largest = largestBatch(rows, bytesFor, available);
  if (largest === rows) return;
  const smaller = 'a smaller model (--preset, --n_layer, --n_embd) or a shorter context (--block_size)';
  throw new UserError({
    code: 'out_of_memory',
    message: `About ${inGigabytes(needed)} of memory would be needed; this machine has ${inGigabytes(available)}`,
    hint: largest > 0 ? `Use --${field} ${largest} instead of ${rows}, or ${smaller}.` : `Use ${smaller}.`,
    field,
  });
}

const inGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
