/** Measures a phase by the clock: its progress as throttled events, and the speed of its steps for the metrics. */
import type { Message } from '../../../shared/messages/message.js';
import type { JobEvent, PhaseName } from '../../../shared/phases/events.js';
import type { Precision } from '../runtime/types.js';
import type { Environment } from '../types.js';

const MILLISECONDS_BETWEEN_EVENTS = 200;
/** The rate is measured without the longest wait only if the rest took so many milliseconds. */
const LEAST_MEASURED = 100;
/** Milliseconds that the rate covers: it follows a machine that has become slower. */
const WINDOW = 60_000;

export type Progress = ReturnType<typeof createProgress>;

interface Sample {
  readonly at: number;
  readonly done: number;
}

/**
 * The rate counts from the first update on and leaves out the longest wait between two, so that compiling does not count.
 * @param asidesLeft asides after `done` of `total` units; each is expected to last as long as the previous one
 */
export function createProgress(
  env: Environment,
  phase: PhaseName,
  unit: Extract<JobEvent, { event: 'progress' }>['unit'],
  expected: number,
  asidesLeft: (done: number, total: number) => number = () => 0,
) {
  let samples: Sample[] = [];
  let [allAsides, lastAside] = [0, 0];
  let lastEventAt = -Infinity;
  return {
    /** Reports the units done, and their total if that has changed; the first and the last update always. */
    update(done: number, detail?: Message, total = expected): void {
      const now = env.now();
      const at = now - allAsides;
      samples.push({ at, done });
      if (now - lastEventAt < MILLISECONDS_BETWEEN_EVENTS && done < total) return;
      lastEventAt = now;
      samples = samples.filter((sample, place) => place > samples.length - 3 || at - sample.at <= WINDOW);
      const rate = rateOf(samples);
      const seconds_left = rate === null ? null : (total - done) / rate + (asidesLeft(done, total) * lastAside) / 1000;
      env.emit({ event: 'progress', phase, done, total, unit, rate, seconds_left, ...(detail && { detail }) });
    },
    /** Runs work that belongs to no unit, such as an evaluation between two steps, outside the rate. */
    async aside<T>(work: () => Promise<T>): Promise<T> {
      const startedAt = env.now();
      try {
        return await work();
      } finally {
        lastAside = env.now() - startedAt;
        allAsides += lastAside;
      }
    },
  };
}

/** Returns units per second; null while unknown. */
function rateOf(samples: readonly Sample[]): number | null {
  const [first, end] = [samples[0], samples.at(-1)];
  if (first === undefined || end === undefined) return null;
  const whole = { units: end.done - first.done, time: end.at - first.at };
  let longest = { units: 0, time: 0 };
  for (const [place, { at, done }] of samples.entries()) {
    const previous = samples[place - 1];
    if (previous && at - previous.at > longest.time) longest = { units: done - previous.done, time: at - previous.at };
  }
  const usual = { units: whole.units - longest.units, time: whole.time - longest.time };
  const { units, time } = usual.units > 0 && usual.time >= LEAST_MEASURED ? usual : whole;
  return units > 0 && time > 0 ? (1000 * units) / time : null;
}

/** The work of one step. */
export interface StepWork {
  readonly tokens: number;
  /** Floating-point operations (shared/costs). */
  readonly operations: number;
  readonly precision: Precision;
}

export type Throughput = ReturnType<typeof createThroughput>;

export function createThroughput(env: Environment, work: StepWork) {
  let compiled = false;
  let [steps, milliseconds] = [0, 0];
  return {
    /** Takes a step and counts its time; the first one compiles and does not count. */
    async timed<T>(take: () => T | Promise<T>): Promise<T> {
      const startedAt = env.now();
      const result = await take();
      if (compiled) {
        steps += 1;
        milliseconds += env.now() - startedAt;
      }
      compiled = true;
      return result;
    },
    /**
     * Returns columns of the metrics for the steps since the last call, without unknown ones. `mfu` is the share of the machine's best
     * matrix product (Chowdhery et al. 2022, section 4.1).
     */
    speed(): Readonly<Partial<Record<'tokens_per_second' | 'mfu', number>>> {
      const perSecond = (1000 * steps) / milliseconds;
      [steps, milliseconds] = [0, 0];
      if (!Number.isFinite(perSecond)) return {};
      const peak = env.peaks?.[work.precision];
      const mfu = peak === undefined ? {} : { mfu: (work.operations * perSecond) / peak };
      return { tokens_per_second: work.tokens * perSecond, ...mfu };
    },
  };
}
