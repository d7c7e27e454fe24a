/**
 * What was read from small files, kept while they stay as they are: a vote is answered from the same few files each time,
 * and is to be answered before a person notices, also beside a model that trains. Files of other kinds than the system's
 * own (tests) are read each time.
 */
import { statSync } from 'node:fs';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { stampOf } from './file-stamp.js';

interface KeptOptions {
  /** At most so many files. */
  readonly most: number;
  /** Nothing in it is ever changed, only added: a changed file has another length. */
  readonly onlyGrows?: boolean;
}

interface Kept<T> {
  /**
   * @param read what is in the file; null, which stands for nothing that can be read, is not kept
   * @returns what all who ask share: not to be changed
   */
  of(file: string, ops: FileOperations, read: () => T): T;
}

/** Clocks of file systems tick so slowly that a file may be replaced twice between two ticks, in milliseconds. */
const TICK = 50;

export function createKept<T>({ most, onlyGrows = false }: KeptOptions): Kept<T> {
  const kept = new Map<string, { readonly stamp: string; readonly value: T }>();
  return {
    of(file, ops, read) {
      const before = ops === nodeFileOperations ? certainStamp(file, onlyGrows) : null;
      if (before === null) return read();
      const known = kept.get(file);
      if (known?.stamp === before) return known.value;
      const value = read();
      kept.delete(file);
      if (value === null) return value;
      kept.set(file, { stamp: before, value });
      for (const [oldest] of kept) if (kept.size > most) kept.delete(oldest);
      return value;
    },
  };
}

/** Null where it does not say for certain whether the file was changed. */
function certainStamp(file: string, onlyGrows: boolean): string | null {
  try {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
    if (!stats?.isFile()) return null;
    const isNew = Math.abs(Date.now() - Number(stats.mtimeMs)) < TICK;
    return isNew && !onlyGrows ? null : stampOf(stats);
  } catch {
    return null; // reading it says why
  }
}
