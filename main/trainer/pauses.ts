/** Pauses a run between two steps, on the user's request or because the disk is full; its clock stops meanwhile. */
import { localized, type Message } from '../../shared/messages/message.js';
import type { JobEvent } from '../../shared/phases/events.js';
import type { JobContext } from '../jobs/types.js';
import type { WorkClock } from './work-clock.js';

/** Checks the room on the disk. */
interface DiskCheck {
  /** @returns null while there is room. `room` resolves to true when there is again, to false after `resume` */
  look(): { readonly message: Message; readonly room: Promise<boolean> } | null;
  resume(): void;
}

export interface PausesOptions {
  readonly clock: Pick<WorkClock, 'pause' | 'resume'>;
  readonly disk: DiskCheck;
  readonly stop: JobContext['stop'];
  emit(event: JobEvent): void;
  onChange(): void;
}

export function createPauses({ clock, disk, stop, emit, onChange }: PausesOptions) {
  let endPause: (() => void) | null = null;
  let paused: Promise<void> | null = null;
  /** @returns whether it had any effect */
  const pause = (): boolean => {
    if (paused || stop.requested) return false;
    paused = new Promise((resolve) => (endPause = resolve));
    clock.pause();
    onChange();
    return true;
  };
  const resume = (): boolean => {
    if (!paused) return false;
    endPause?.();
    paused = null;
    clock.resume();
    disk.resume();
    onChange();
    return true;
  };
  return {
    isPaused: () => paused !== null,
    pause,
    resume,
    async yieldToEventLoop() {
      await new Promise((resolve) => setImmediate(resolve));
      const full = paused || stop.requested ? null : disk.look();
      if (full) {
        emit({ event: 'notice', level: 'warning', code: 'disk_nearly_full', message: full.message });
        pause();
        void full.room.then((room) => {
          if (!room) return;
          emit({ event: 'notice', level: 'info', code: 'disk_has_room', message: localized('trainer.disk_has_room') });
          resume();
        });
      }
      while (paused) await paused;
    },
  };
}
