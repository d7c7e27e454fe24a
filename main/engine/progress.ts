/** Progress of a phase as events: how far, how fast, how long still. Throttled, so that reporting costs nothing. */
import type { JobEvent, PhaseName } from '../../shared/events.js';
import type { Environment } from './types.js';

type Unit = Extract<JobEvent, { event: 'progress' }>['unit'];

const MILLISECONDS_BETWEEN_EVENTS = 200;

export interface Progress {
  /** Says how many units are done, and of how many if that has changed; the first and the last are always told. */
  update(done: number, detail?: string, total?: number): void;
}

/** The rate counts from the first update on: what comes before it (compiling, above all) happens only once. */
export function createProgress(env: Environment, phase: PhaseName, unit: Unit, expected: number): Progress {
  let start: { readonly at: number; readonly done: number } | undefined;
  let last = -Infinity;
  return {
    update(done, detail, total = expected) {
      const now = env.now();
      start ??= { at: now, done };
      if (now - last < MILLISECONDS_BETWEEN_EVENTS && done < total) return;
      last = now;
      const seconds = (now - start.at) / 1000;
      const rate = seconds > 0 && done > start.done ? (done - start.done) / seconds : null;
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
