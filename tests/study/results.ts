/** From the reports of a project to what the study reports: one flat row for each seed. Pure. */
import type { CycleReport } from '../../main/engine/cycle-types.js';
import { meanInterval, mean, type Interval } from '../../main/engine/statistics.js';
import type { RewardKind } from '../../shared/config/model.js';

/** What `--json` writes with one seed. */
export interface StudyResult {
  /** R² on the validation samples of cycle 1, of each kind that was trained. */
  readonly reward_r2: Readonly<Partial<Record<RewardKind, number | null>>>;
  readonly default_kind: RewardKind;
  /** How much likelier the judge finds the last generator's writing than base_model_v1's: mean of its two figures. */
  readonly judge_gain_nats: number | null;
  /** Held-out perplexity of the last generator over base_model_v1's, less one. */
  readonly perplexity_change: number | null;
  readonly distinct3_ratio: number | null;
  /** Copied share of the last generator's writing over that of base_model_v1. */
  readonly copied_ratio: number | null;
  readonly fresh_discriminator_r2: readonly [old: number | null, latest: number | null];
}

/** @param reports of all cycles, base training first */
export function studyResult(reports: readonly CycleReport[], kind: RewardKind): StudyResult {
  const [first] = reports;
  const last = reports.at(-1);
  if (!first || !last) throw new Error('a study needs the report of base training');
  const [before, after] = [first.judgement, last.judgement];
  const r2s = Object.entries(reports[1]?.reward_models ?? {}).map(([name, report]) => [name, report.r2] as const);
  return {
    reward_r2: Object.fromEntries(r2s),
    default_kind: kind,
    judge_gain_nats: after?.gain ? (after.gain.unconditional + after.gain.prompted) / 2 : null,
    perplexity_change: last.perplexity / first.perplexity - 1,
    distinct3_ratio: ratio(after?.generator.distinct_3, after?.natural.distinct_3),
    copied_ratio: ratio(after?.generator.copied_share, before?.generator.copied_share),
    fresh_discriminator_r2: [before?.fresh_discriminator.r2 ?? null, after?.fresh_discriminator.r2 ?? null],
  };
}

/** Nothing over nothing is no change; something over nothing has no number. */
function ratio(value: number | null | undefined, to: number | null | undefined): number | null {
  if (typeof value !== 'number' || typeof to !== 'number') return null;
  if (to === 0) return value === 0 ? 1 : null;
  return value / to;
}

/** Mean over seeds with Student's interval, for each figure that is a number. */
export function acrossSeeds(rows: readonly Readonly<Record<string, number | null>>[]) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return Object.fromEntries(
    names.map((name): [string, { mean: number; interval: Interval | null }] => {
      const values = rows.map((row) => row[name]).filter((value): value is number => typeof value === 'number');
      return [name, { mean: mean(values), interval: meanInterval(values) }];
    }),
  );
}
