/** Refuses, before anything begins, a run that cannot fit into this machine's memory, and says which batch would. */
import { freemem, totalmem } from 'node:os';
import process from 'node:process';
import { largestBatch, type Batch } from '../../../shared/costs/memory.js';
import { UserError } from '../../../shared/errors.js';
import { option, say } from '../../../shared/sentence.js';
import type { Runtime } from '../../engine/runtime/types.js';

/** Bytes that a process may use: the machine's, or those that its container is limited to. */
export function memoryLimit(): number {
  // 0 or undefined: no limit.
  const constrained = (process as { constrainedMemory?: () => number | undefined }).constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Bytes that nobody uses, or that the system would give away at once. */
export const freeMemory = (): number =>
  (process as { availableMemory?: () => number }).availableMemory?.() ?? freemem();

/** @throws UserError `out_of_memory` */
export function mustFitInMemory(
  { field, rows, bytesFor }: Batch,
  { device, precision }: Pick<Runtime, 'device' | 'precision'>,
  available = memoryLimit(),
): void {
  // A graphics card has memory of its own, of which TensorFlow tells nothing here.
  if (device === 'cuda') return;
  const least = (of: number) => bytesFor(of, { isShort: true, precision });
  const needed = least(rows);
  const largest = largestBatch(rows, least, available);
  if (largest === rows) return;
  const smaller = say`a smaller model (${option('preset')}, ${option('n_layer')}, ${option('n_embd')}) or a shorter context (${option('block_size')})`;
  throw new UserError({
    code: 'out_of_memory',
    message: `About ${inGigabytes(needed)} of memory would be needed; this machine has ${inGigabytes(available)}`,
    hint: largest > 0 ? say`Use ${option(field)} ${largest} instead of ${rows}, or ${smaller}.` : say`Use ${smaller}.`,
    field,
  });
}

const inGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
