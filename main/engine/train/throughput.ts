/**
 * How fast a phase computes: tokens a second, and which share of the machine's best matrix product that is (model FLOPs
 * utilisation, Chowdhery et al. 2022, section 4.1). Figures of the clock: they say nothing about what was computed.
 */
import type { Precision } from '../runtime/types.js';
import type { Environment } from '../types.js';

/** Columns for a row of the metrics; unknown ones are absent. */
export type Speed = Readonly<Partial<Record<'tokens_per_second' | 'mfu', number>>>;

/** What one step works through. */
export interface StepWork {
  readonly tokens: number;
  /** Floating-point operations (shared/costs). */
  readonly operations: number;
  readonly precision: Precision;
}

export function speedOf(
  work: Pick<StepWork, 'tokens' | 'operations'>,
  seconds: number,
  peak: number | undefined,
): Speed {
  if (!(seconds > 0)) return {};
  const mfu = peak === undefined ? {} : { mfu: work.operations / seconds / peak };
  return { tokens_per_second: work.tokens / seconds, ...mfu };
}

export interface Throughput {
  /** Takes a step and counts its time. The first one is not counted: it compiles. */
  timed<T>(step: () => T | Promise<T>): Promise<T>;
  /** Of the steps since it was last asked. */
  speed(): Speed;
}

export function createThroughput(env: Environment, step: StepWork): Throughput {
  let compiled = false;
  let [steps, milliseconds] = [0, 0];
  return {
    async timed(take) {
      const before = env.now();
      const result = await take();
      if (compiled) {
        steps += 1;
        milliseconds += env.now() - before;
      }
      compiled = true;
      return result;
    },
    speed() {
      const work = { tokens: steps * step.tokens, operations: steps * step.operations };
      const speed = steps === 0 ? {} : speedOf(work, milliseconds / 1000, env.peaks?.[step.precision]);
      [steps, milliseconds] = [0, 0];
      return speed;
    },
  };
}
