/**
 * Where a phase keeps its progress: `<folder>/step-0001200/`, a folder per generation, the newest that verifies being
 * the one that counts. A generation that does not verify is stepped over, said in words, and removed only when a newer
 * good one is on the disk. Kept are the two newest and the best; the others go when a newer one is whole.
 */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { decodeState, encodeCheckpoint, stateFile } from '../../formats/checkpoint.js';
import type { Checkpoint, CheckpointSlot } from '../../engine/types.js';
import { recover, removeFolderAtomic, writeFolderAtomic } from '../disk/atomic.js';
import { readCheckpointFolder } from './checkpoint-files.js';
import { withFile } from '../disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';

interface CheckpointSlotOptions {
  /** Newest generations to keep, at least 1; the best one is kept besides. */
  readonly keep?: number;
  readonly onNotice?: (message: string) => void;
  readonly ops?: FileOperations;
}

export interface StoredCheckpointSlot extends CheckpointSlot {
  /** Steps of the generations on the disk, whether good or not, oldest first. */
  steps(): readonly number[];
  /** Removes all generations: the phase is over and its result saved elsewhere. */
  clear(): void;
}

const generationName = /^step-(\d{7,})$/;

export const generationFolder = (folder: string, step: number): string =>
  path.join(folder, `step-${String(step).padStart(7, '0')}`);

/** Steps of the generations in a slot's folder, whether good or not, oldest first; may be asked while it is written to. */
export const generationsIn = (folder: string, ops: FileOperations = nodeFileOperations): readonly number[] =>
  onFile(folder, 'read', () => {
    if (ops.kind(folder) !== 'folder') return [];
    const names = ops.list(folder).flatMap((name) => generationName.exec(name)?.[1] ?? []);
    return names.map(Number).sort((a, b) => a - b);
  });

/** Returns the best step recorded in the newest generation, or null. */
export function bestStepIn(folder: string): number | null {
  const newest = generationsIn(folder).at(-1);
  if (newest === undefined) return null;
  try {
    const file = path.join(generationFolder(folder, newest), stateFile);
    const { bestStep } = withFile(file, (source) => decodeState(source));
    return typeof bestStep === 'number' && bestStep > 0 ? bestStep : null;
  } catch (error) {
    if (isDamage(error)) return null; // or cleared away meanwhile
    throw error;
  }
}

/**
 * Opens the slot and cleans up what a crashed writer left. One process at a time may write to a slot.
 * `latest` gives null when there is no good generation, and throws `checkpoint` for those of another version.
 * `save` makes its checkpoint the latest: generations with a higher step, which it stands in for, go.
 */
export function createCheckpointSlot(
  folder: string,
  { keep = 2, onNotice = () => undefined, ops = nodeFileOperations }: CheckpointSlotOptions = {},
): StoredCheckpointSlot {
  const generation = (step: number) => generationFolder(folder, step);
  const damaged = new Set<number>();
  recover(folder, undefined, ops);

  const steps = () => generationsIn(folder, ops);

  const remove = (unwanted: readonly number[]) => unwanted.forEach((step) => removeFolderAtomic(generation(step), ops));

  const latest = () => {
    const problems: string[] = [];
    for (const step of [...steps()].reverse()) {
      try {
        const checkpoint = readCheckpointFolder(generation(step), ops);
        if (problems.length > 0) onNotice(`Stepped back to checkpoint ${step}: ${problems.join('; ')}`);
        return checkpoint;
      } catch (error) {
        if (!isDamage(error)) throw error;
        damaged.add(step);
        problems.push(error.message);
      }
    }
    if (problems.length > 0) onNotice(`No checkpoint could be used, starting anew: ${problems.join('; ')}`);
    return null;
  };

  const save = (checkpoint: Checkpoint, step: number) => {
    if (!Number.isSafeInteger(step) || step < 0) throw new Error(`not a step: ${step}`);
    writeFolderAtomic(generation(step), encodeCheckpoint(checkpoint), { replace: 'anything', ops });
    damaged.delete(step);
    const good = steps().filter((other) => other <= step && !damaged.has(other));
    const wanted = generationsToKeep(good, keep, checkpoint.state['bestStep']);
    remove(steps().filter((other) => !wanted.includes(other)));
  };

  return {
    steps,
    clear: () => remove(steps()),
    latest: async () => latest(),
    save: async (checkpoint, step) => save(checkpoint, step),
  };
}

/** Keeps the newest and the best, which may be far back. @param good steps in order */
export function generationsToKeep(good: readonly number[], newest: number, best: unknown): readonly number[] {
  const first = good.length - newest;
  return good.filter((step, index) => index >= first || step === best);
}

function isDamage(error: unknown): error is UserError {
  return error instanceof UserError && (error.code === 'file_damaged' || error.code === 'file_not_found');
}
