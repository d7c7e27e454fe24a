/** Progress of a phase as events: how far, how fast, how long still. Throttled, so that reporting costs nothing. */
import type { JobEvent, PhaseName } from '../../../shared/phases/events.js';
import type { Environment } from '../types.js';

type Unit = Extract<JobEvent, { event: 'progress' }>['unit'];

const MILLISECONDS_BETWEEN_EVENTS = 200;
/** What is left without the longest wait must have taken so many milliseconds: units that were there already take none. */
const LEAST_MEASURED = 100;
/** The rate is that of so many milliseconds at most: a machine that got something else to do is soon believed. */
const WINDOW = 60_000;

export interface Progress {
  /** Says how many units are done, and of how many if that has changed; the first and the last are always told. */
  update(done: number, detail?: string, total?: number): void;
  /** Does what belongs to no unit, as an evaluation between two steps: its time is not theirs. */
  aside<T>(work: () => Promise<T>): Promise<T>;
}

interface Sample {
  readonly at: number;
  readonly done: number;
}

/** Units that were done in a time, in milliseconds. */
interface Stretch {
  readonly units: number;
  readonly time: number;
}

/**
 * The rate counts from the first update on, and without the longest wait between two: what happens only once, compiling
 * above all, lies before the first or in that wait.
 * @param asidesLeft how many more asides there will be, after `done` of `total`; each is taken to last as long as the one before
 */
export function createProgress(
  env: Environment,
  phase: PhaseName,
  unit: Unit,
  expected: number,
  asidesLeft: (done: number, total: number) => number = () => 0,
): Progress {
  let samples: Sample[] = [];
  let [beside, lastAside] = [0, 0];
  let last = -Infinity;
  return {
    update(done, detail, total = expected) {
      const now = env.now();
      const at = now - beside;
      samples.push({ at, done });
      if (now - last < MILLISECONDS_BETWEEN_EVENTS && done < total) return;
      last = now;
      samples = thinned(samples.filter((sample, place) => place > samples.length - 3 || at - sample.at <= WINDOW));
      const rate = rateOf(samples);
      env.emit({
        event: 'progress',
        phase,
        done,
        total,
        unit,
        rate,
        seconds_left: rate === null ? null : (total - done) / rate + (asidesLeft(done, total) * lastAside) / 1000,
        ...(detail === undefined ? {} : { detail }),
      });
    },
    async aside(work) {
      const begun = env.now();
      try {
        return await work();
      } finally {
        lastAside = env.now() - begun;
        beside += lastAside;
      }
    },
  };
}

/** Half of them, where there are very many: steps of a thousandth of a second would otherwise be kept by the ten thousand. */
const thinned = (samples: Sample[]): Sample[] =>
  samples.length <= 1000 ? samples : samples.filter((_, place) => place % 2 === 0 || place === samples.length - 1);

/** Units per second; of the whole where nothing is known besides the longest wait. */
function rateOf(samples: readonly Sample[]): number | null {
  const [first, end] = [samples[0], samples.at(-1)];
  if (first === undefined || end === undefined) return null;
  const whole: Stretch = { units: end.done - first.done, time: end.at - first.at };
  let longest: Stretch = { units: 0, time: 0 };
  for (const [place, { at, done }] of samples.entries()) {
    const before = samples[place - 1];
    if (before && at - before.at > longest.time) longest = { units: done - before.done, time: at - before.at };
  }
  const usual: Stretch = { units: whole.units - longest.units, time: whole.time - longest.time };
  const { units, time } = usual.units > 0 && usual.time >= LEAST_MEASURED ? usual : whole;
  return units > 0 && time > 0 ? (1000 * units) / time : null;
}
