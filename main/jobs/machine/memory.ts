/** What memory there is, for every part of the program. Refuses, before anything begins, a run that cannot fit into this machine's memory, and says which batch would. */
import { localized } from '../../../shared/messages/message.js';
import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import process from 'node:process';
import { largestBatch, type Batch } from '../../../shared/costs/memory.js';
import { UserError } from '../../../shared/errors.js';
import type { Runtime } from '../../engine/runtime/types.js';

/** Bytes that a process may use: the machine's, or those that its container is limited to. */
export function memoryLimit(): number {
  // 0 or undefined: no limit.
  const constrained = (process as { constrainedMemory?: () => number | undefined }).constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Where a container sees what its memory is used for: of control groups, version 2 and 1. */
const groupFiles = ['/sys/fs/cgroup/memory.stat', '/sys/fs/cgroup/memory/memory.stat'];

/**
 * Bytes that nobody uses, or that the system would give away at once: of the machine, and of what its container may use. There
 * Node counts what the system keeps of files that were read as used.
 */
export function freeMemory(statFiles: readonly string[] = groupFiles): number {
  const available = (process as { availableMemory?: () => number }).availableMemory?.();
  if (available === undefined || memoryLimit() === totalmem()) return freemem();
  return Math.min(freemem(), available + (statFiles.map(keptOfFiles).find((bytes) => bytes > 0) ?? 0));
}

function keptOfFiles(path: string): number {
  try {
    return Number(/^(?:total_)?inactive_file (\d+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

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
  const smaller = localized('memory.smaller_model');
  throw new UserError({
    code: 'out_of_memory',
    message: localized('memory.too_little', { needed: inGigabytes(needed), available: inGigabytes(available) }),
    hint:
      largest > 0
        ? localized('memory.use_fewer_rows', { field, largest, rows, smaller })
        : localized('memory.use_smaller', { smaller }),
    field,
  });
}

const inGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
