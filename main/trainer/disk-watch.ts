/**
 * Pauses a run before its disk is full rather than letting it fail after: looked at between steps, some times a minute.
 * The run goes on when there is room again, or when the person says so.
 */
import { freeBytes, inWords } from '../storage/disk.js';

export interface DiskWatch {
  /** Null while there is room. `room` resolves to true when there is again, to false when `goOn` was called. */
  look(): { readonly message: string; readonly room: Promise<boolean> } | null;
  /** Goes on with what room there is; asked again only after a while. */
  goOn(): void;
}

export interface DiskWatchOptions {
  readonly folder: string;
  /** Bytes that must be free: a checkpoint is written beside the one before it. */
  readonly needed: () => number;
  readonly now: () => number;
  readonly free?: (folder: string) => number | null;
  readonly milliseconds?: number;
  /** How long the person's word counts. */
  readonly patience?: number;
}

export function createDiskWatch(options: DiskWatchOptions): DiskWatch {
  const { folder, needed, now, free = freeBytes, milliseconds = 5000, patience = 600_000 } = options;
  let next = -Infinity;
  let waiting: ((room: boolean) => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  const missing = () => {
    const there = free(folder);
    return there !== null && there < needed() ? there : null;
  };
  const end = (room: boolean) => {
    clearInterval(timer);
    const over = waiting;
    waiting = null;
    over?.(room);
  };
  return {
    look() {
      if (now() < next) return null;
      next = now() + milliseconds;
      const there = missing();
      if (there === null) return null;
      const room = new Promise<boolean>((resolve) => (waiting = resolve));
      timer = setInterval(() => missing() === null && end(true), milliseconds);
      return {
        message: `Paused: the disk of ${folder} has only ${inWords(there)} free, and the next checkpoint may need ${inWords(needed())}. Free some space: it goes on by itself then.`,
        room,
      };
    },
    goOn() {
      if (waiting) next = now() + patience;
      end(false);
    },
  };
}
