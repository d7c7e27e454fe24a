/** Reads how much memory there is, and refuses a run that cannot fit before anything starts. */
import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import process from 'node:process';
import { largestBatch, type Batch } from '../../../shared/costs/memory.js';
import { UserError } from '../../../shared/errors.js';
import { bytes, localized } from '../../../shared/messages/message.js';
import type { Runtime } from '../../engine/runtime/types.js';

/** Bytes that a process may use: the machine's, or its container's limit. */
export function memoryLimit(): number {
  // 0 or undefined: no limit.
  const constrained = (process as { constrainedMemory?: () => number | undefined }).constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** A container's use of memory: control groups, version 2 and 1. */
const groupFiles = ['/sys/fs/cgroup/memory.stat', '/sys/fs/cgroup/memory/memory.stat'];

/** Bytes that are unused or reclaimable, of the machine and of its container; Node counts a container's file cache as used. */
export function freeMemory(statFiles: readonly string[] = groupFiles): number {
  const available = (process as { availableMemory?: () => number }).availableMemory?.();
  if (available === undefined || memoryLimit() === totalmem()) return freemem();
  return Math.min(freemem(), available + (statFiles.map(cachedFiles).find((size) => size > 0) ?? 0));
}

function cachedFiles(path: string): number {
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
  // TensorFlow does not report a graphics card's memory here.
  if (device !== 'cpu') return;
  const least = (of: number) => bytesFor(of, { isShort: true, precision });
  const needed = least(rows);
  const largest = largestBatch(rows, least, available);
  if (largest === rows) return;
  const smaller = localized('memory.smaller_model');
  throw new UserError({
    code: 'out_of_memory',
    message: localized('memory.too_little', { needed: bytes(needed), available: bytes(available) }),
    hint:
      largest > 0
        ? localized('memory.use_fewer_rows', { field, largest, rows, smaller })
        : localized('memory.use_smaller', { smaller }),
    field,
  });
}
