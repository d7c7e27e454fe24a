/** Progress of a phase as events: how far, how fast, how long still. Throttled, so that reporting costs nothing. */
import type { JobEvent, PhaseName } from '../../../shared/events.js';
import type { Environment } from '../types.js';

type Unit = Extract<JobEvent, { event: 'progress' }>['unit'];

const MILLISECONDS_BETWEEN_EVENTS = 200;

export interface Progress {
  /** Says how many units are done, and of how many if that has changed; the first and the last are always told. */
  update(done: number, detail?: string, total?: number): void;
}

/** Units that were done in a time, in milliseconds. */
interface Stretch {
  readonly units: number;
  readonly time: number;
}

/**
 * The rate counts from the first update on, and without the longest wait between two: what happens only once, compiling
 * above all, lies before the first or, for a phase that evaluates now and then, in that wait.
 */
export function createProgress(env: Environment, phase: PhaseName, unit: Unit, expected: number): Progress {
  let start: { readonly at: number; readonly done: number } | undefined;
  let previous: typeof start;
  let longest: Stretch = { units: 0, time: 0 };
  let last = -Infinity;
  return {
    update(done, detail, total = expected) {
      const now = env.now();
      start ??= { at: now, done };
      if (previous && now - previous.at > longest.time) {
        longest = { units: done - previous.done, time: now - previous.at };
      }
      previous = { at: now, done };
      if (now - last < MILLISECONDS_BETWEEN_EVENTS && done < total) return;
      last = now;
      const rate = rateOf({ units: done - start.done, time: now - start.at }, longest);
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

/** Units per second; of the whole where nothing is known besides the longest wait. */
function rateOf(whole: Stretch, longest: Stretch): number | null {
  const usual: Stretch = { units: whole.units - longest.units, time: whole.time - longest.time };
  const { units, time } = usual.units > 0 && usual.time > 0 ? usual : whole;
  return units > 0 && time > 0 ? (1000 * units) / time : null;
}
