/** Watches a project's disk during training: a run pauses before a checkpoint fails or is written where the folder was. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { bytes, localized, type Message } from '../../shared/messages/message.js';
import { freeBytes } from '../storage/disk/disk.js';
import { projectPaths } from '../storage/projects/project-paths.js';

interface DiskWatchOptions {
  readonly folder: string;
  /** Bytes that must be free: a checkpoint is written next to the previous one. */
  readonly needed: () => number;
  readonly now: () => number;
  readonly free?: (folder: string) => number | null;
  readonly milliseconds?: number;
  readonly patience?: number;
}

/** Looked at between steps, some times a minute. */
export function createDiskWatch(options: DiskWatchOptions) {
  const { folder, needed, now, free = freeBytes, milliseconds = 5000, patience = 600_000 } = options;
  let next = -Infinity;
  let waiting: ((room: boolean) => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  const isGone = () => !fs.existsSync(projectPaths(folder).config);
  const trouble = (): Message | null => {
    if (isGone()) return localized('trainer.folder_gone', { folder });
    const there = free(folder);
    if (there === null || there >= needed()) return null;
    return localized('trainer.disk_nearly_full', { folder, free: bytes(there), needed: bytes(needed()) });
  };
  const end = (room: boolean) => {
    clearInterval(timer);
    const over = waiting;
    waiting = null;
    over?.(room);
  };
  return {
    /** Null while there is a folder with room. `room` resolves to true when there is again, to false when `resume` was called. */
    look(): { readonly message: Message; readonly room: Promise<boolean> } | null {
      if (now() < next && !isGone()) return null;
      next = now() + milliseconds;
      const message = trouble();
      if (message === null) return null;
      const room = new Promise<boolean>((resolve) => (waiting = resolve));
      timer = setInterval(() => trouble() === null && end(true), milliseconds);
      return { message, room };
    },
    /** Resumes with the available space; checked again only after a while. */
    resume(): void {
      if (waiting) next = now() + patience;
      end(false);
    },
  };
}

/** Logs, reports and reward data between two checkpoints. */
const SPARE_BYTES = 32 * 1024 * 1024;

/** How much room the next checkpoint of a project may need: what the last ones took, and some to spare. */
export function checkpointRoom(folder: string) {
  let largest = 0;
  return {
    needed: () => SPARE_BYTES + largest,
    saved(name: string) {
      largest = Math.max(largest, sizeOf(projectPaths(folder).progress(name)));
    },
  };
}

/** Bytes of a file, or of all files in a folder and those below it; what goes meanwhile does not count. */
function sizeOf(place: string): number {
  try {
    const stats = fs.statSync(place);
    if (!stats.isDirectory()) return stats.size;
    return fs.readdirSync(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), 0);
  } catch {
    return 0;
  }
}
