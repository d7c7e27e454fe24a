/**
 * Stores a phase's progress: `<folder>/step-0001200/`, a folder per generation, the newest that verifies being the one
 * that counts. A damaged generation is skipped with a notice, and removed only when a newer good one is on the disk. The
 * two newest and the best stay; the others are removed when a newer one is whole.
 */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized, type Message, verbatim } from '../../../shared/messages/message.js';
import type { Checkpoint, CheckpointSlot } from '../../engine/types.js';
import { decodeCheckpoint, encodeCheckpoint } from '../../formats/checkpoint.js';
import { recover, removeFolderAtomic, writeFolderAtomic } from '../disk/atomic.js';
import { fileSource, openFile, type OpenFile } from '../disk/file-bytes.js';
import { type FileOperations, nodeFileOperations } from '../disk/file-operations.js';
import { verifyFolder } from '../disk/manifest.js';

/**
 * Reads a checkpoint if every byte is what its manifest states.
 * @param onDemandFrom larger weights are read at each use
 * @throws UserError `file_damaged`, `file_not_found`, `file_not_readable`, `checkpoint`
 */
export function readCheckpointFolder(folder: string, ops = nodeFileOperations, onDemandFrom = Infinity): Checkpoint {
  const names = verifyFolder(folder, ops);
  const opened: OpenFile[] = [];
  try {
    return decodeCheckpoint((name) => {
      if (!names.includes(name)) return null;
      const file = openFile(path.join(folder, name), ops);
      opened.push(file);
      // Weights that are read later cannot be held open until then.
      return file.byteLength < onDemandFrom ? file : fileSource(path.join(folder, name), ops);
    }, onDemandFrom);
  } finally {
    opened.forEach((file) => file.close());
  }
}

interface CheckpointSlotOptions {
  /** Newest generations that stay, at least 1, in addition to the best. */
  readonly keep?: number;
  readonly onNotice?: (message: Message) => void;
  readonly ops?: FileOperations;
}

export type StoredCheckpointSlot = ReturnType<typeof createCheckpointSlot>;

const generationName = /^step-(\d{7,})$/;

/**
 * Opens the slot and cleans up what a crashed writer left. One process at a time may write to a slot.
 * `latest` gives null when there is no good generation, and throws `checkpoint` for those of another version.
 * `save` makes its checkpoint the latest: generations with a higher step are removed.
 */
export function createCheckpointSlot(
  folder: string,
  { keep = 2, onNotice = () => undefined, ops = nodeFileOperations }: CheckpointSlotOptions = {},
) {
  const generation = (step: number) => path.join(folder, `step-${String(step).padStart(7, '0')}`);
  const damaged = new Set<number>();
  recover(folder, undefined, ops);
  /** The generations, damaged ones too, oldest first. */
  const steps = (): readonly number[] =>
    onFile(folder, 'read', () => {
      if (ops.kind(folder) !== 'folder') return [];
      const names = ops.list(folder).flatMap((name) => generationName.exec(name)?.[1] ?? []);
      return names.map(Number).sort((a, b) => a - b);
    });
  const remove = (unwanted: readonly number[]) => unwanted.forEach((step) => removeFolderAtomic(generation(step), ops));

  const latest = () => {
    const problems: Message[] = [];
    for (const step of [...steps()].reverse()) {
      try {
        const checkpoint = readCheckpointFolder(generation(step), ops);
        if (problems.length > 0) onNotice(localized('projects.stepped_back', { step: String(step), problems }));
        return checkpoint;
      } catch (error) {
        if (!isDamage(error)) throw error;
        damaged.add(step);
        problems.push(messageOf(error));
      }
    }
    if (problems.length > 0) onNotice(localized('projects.no_good_checkpoint', { problems }));
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
  } satisfies CheckpointSlot & Record<'steps' | 'clear', unknown>;
}

export const generationsToKeep = (good: readonly number[], newest: number, best: unknown): readonly number[] =>
  good.filter((step, index) => index >= good.length - newest || step === best);

const isDamage = (error: unknown): error is UserError =>
  error instanceof UserError && (error.code === 'file_damaged' || error.code === 'file_not_found');

function messageOf(error: UserError): Message {
  const { message } = error.toFault();
  return typeof message === 'object' && 'code' in message ? message : verbatim(error.message);
}
