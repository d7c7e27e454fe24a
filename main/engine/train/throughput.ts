/**
 * How fast a phase computes: tokens a second, and which share of the machine's best matrix product that is (model FLOPs
 * utilisation, Chowdhery et al. 2022, section 4.1). Figures of the clock: they say nothing about what was computed.
 */
import { rankMetric, RANKS_NAMED, type RankMetric } from '../../../shared/phases/ranks.js';
import type { Precision } from '../runtime/types.js';
import type { Team } from '../team.js';
import type { Environment } from '../types.js';

/** For a row of the metrics; what is not known is not there. */
export type Speed = Readonly<
  Partial<Record<'tokens_per_second' | 'mfu' | 'ranks' | 'waiting' | 'waiting_most' | 'waiting_least', number>> &
    Partial<Record<RankMetric, number>>
>;

/** What one step works through. */
export interface StepWork {
  readonly tokens: number;
  /** Floating-point operations (shared/costs). */
  readonly operations: number;
  readonly precision: Precision;
  /** Of the step, which is this rank's of a team; left out: as much as any other's. */
  readonly share?: number;
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

/**
 * How many ranks there are, the shares of the time since it was last asked in which they waited for each other, and of each that
 * and how many tokens a second it computes when it does not.
 */
function createRanks(env: Environment, team: Pick<Team, 'size' | 'ranks'>) {
  let [asked, before] = [env.now(), [...team.ranks]];
  return (): Speed => {
    const [now, ranks] = [env.now(), [...team.ranks]];
    const since = ranks.map(({ waited, computed, tokens }, rank) => {
      const { waited: w = 0, computed: c = 0, tokens: t = 0 } = before[rank] ?? {};
      return { waited: Math.min(1, (waited - w) / (now - asked)), computed: computed - c, tokens: tokens - t };
    });
    [asked, before] = [now, ranks];
    const shares = since.map(({ waited }) => waited);
    if (!shares.every(Number.isFinite)) return {};
    const waiting = shares.reduce((sum, share) => sum + share, 0) / team.size;
    const whole = { ranks: team.size, waiting, waiting_most: Math.max(...shares), waiting_least: Math.min(...shares) };
    const each = since
      .slice(0, RANKS_NAMED)
      .flatMap(({ waited, computed, tokens }, rank) => [
        [rankMetric(rank, 'waiting'), waited] as const,
        ...(computed > 0 ? [[rankMetric(rank, 'tokens_per_second'), (1000 * tokens) / computed] as const] : []),
      ]);
    return { ...whole, ...Object.fromEntries(each) };
  };
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
  const { team } = env;
  const ofRanks = team ? createRanks(env, team) : () => ({});
  const share = step.share ?? 1 / (team?.size ?? 1);
  return {
    async timed(take) {
      const [before, waited] = [env.now(), team?.waited ?? 0];
      const result = await take();
      if (compiled) {
        const took = env.now() - before;
        steps += 1;
        milliseconds += took;
        team?.computed(Math.max(0, took - (team.waited - waited)), share * step.tokens);
      }
      compiled = true;
      return result;
    },
    speed() {
      const work = { tokens: steps * step.tokens, operations: steps * step.operations };
      const speed = steps === 0 ? {} : speedOf(work, milliseconds / 1000, env.peaks?.[step.precision]);
      [steps, milliseconds] = [0, 0];
      return { ...speed, ...ofRanks() };
    },
  };
}
