/** Pauses of a run, between two steps. */
import type { JobEvent } from '../../../shared/events.js';
import type { JobContext } from '../types.js';
import type { WorkClock } from './work-clock.js';

export type Pauses = ReturnType<typeof createPauses>;

/** Looks whether there is room on the disk. */
interface DiskLook {
  /** Null while there is. `room` resolves to true when there is again, to false when `resume` was called. */
  look(): { readonly message: string; readonly room: Promise<boolean> } | null;
  resume(): void;
}

export interface PausesOptions {
  readonly clock: Pick<WorkClock, 'pause' | 'resume'>;
  /** Left out: nobody looks. */
  readonly disk?: DiskLook;
  readonly stop: JobContext['stop'];
  emit(event: JobEvent): void;
  /** It pauses now, or does not any more. */
  told(): void;
}

/** A run that waits between two steps, as the person says or because the disk is full; its clock stands still meanwhile. */
export function createPauses({ clock, disk, stop, emit, told }: PausesOptions) {
  let resumed: (() => void) | null = null;
  let paused: Promise<void> | null = null;
  /** @returns whether it did anything */
  const pause = (): boolean => {
    if (paused || stop.requested) return false;
    paused = new Promise((resolve) => (resumed = resolve));
    clock.pause();
    told();
    return true;
  };
  const resume = (): boolean => {
    if (!paused) return false;
    resumed?.();
    paused = null;
    clock.resume();
    disk?.resume();
    told();
    return true;
  };
  return {
    isPaused: () => paused !== null,
    pause,
    resume,
    async yieldToEventLoop() {
      await new Promise((resolve) => setImmediate(resolve));
      const full = paused || stop.requested ? null : disk?.look();
      if (full) {
        emit({ event: 'notice', level: 'warning', code: 'disk_nearly_full', message: full.message });
        pause();
        void full.room.then((room) => {
          if (!room) return;
          emit({ event: 'notice', level: 'info', code: 'disk_has_room', message: 'There is room on the disk again.' });
          resume();
        });
      }
      while (paused) await paused;
    },
  };
}
