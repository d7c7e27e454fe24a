/** Decides whether a new process runs the next phase: memory of a large finished phase is not fully reusable. */
import type { JobEvent } from '../../shared/phases/events.js';

/** What needs less leaves too little behind to be worth loading TensorFlow again. */
const LEAST = 1.5 * 2 ** 30;

export type Handover = ReturnType<typeof createHandover>;

export function createHandover(freeMemory: () => number, least = LEAST) {
  let worked = false;
  let phases = 0;
  let happens = false;
  return {
    /** What a phase did that an earlier process had ended, it only finds again: it takes no step. */
    heard(event: JobEvent): void {
      if (event.event === 'progress') worked = true;
      if (event.event !== 'phase') return;
      if (event.state === 'finished' && worked) phases += 1;
      worked = false;
    },
    /** Checked between two phases. @param needed bytes that the most expensive phase takes in a process of its own */
    isDue(needed: number): boolean {
      happens ||= phases > 0 && needed >= least && freeMemory() < needed;
      return happens;
    },
    happens: () => happens,
  };
}
