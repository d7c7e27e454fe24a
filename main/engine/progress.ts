/** Progress of a phase as events: how far, how fast, how long still. Throttled, so that reporting costs nothing. */
import type { JobEvent, PhaseName } from '../../shared/events.js';
import type { Environment } from './types.js';

type Unit = Extract<JobEvent, { event: 'progress' }>['unit'];

const MILLISECONDS_BETWEEN_EVENTS = 200;

export interface Progress {
  /** Says how many units are done; the first and the last are always told. */
  update(done: number, detail?: string): void;
}

/** @param from units done before this run began, which do not count for the rate */
export function createProgress(env: Environment, phase: PhaseName, unit: Unit, total: number, from = 0): Progress {
  const start = env.now();
  let last = -Infinity;
  return {
    update(done, detail) {
      const now = env.now();
      if (now - last < MILLISECONDS_BETWEEN_EVENTS && done < total) return;
      last = now;
      const seconds = (now - start) / 1000;
      const rate = seconds > 0 && done > from ? (done - from) / seconds : null;
      env.emit({
        event: 'progress',
        phase,
        done,
        total,
        unit,
        rate,
        seconds_left: rate === null ? null : (total - done) / rate,
        ...(detail === undefined ? {} : { detail }),
      });
    },
  };
}
