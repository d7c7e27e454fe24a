/** From what was measured in a project to what the study reports. Pure. */
import type { CycleReport, Interval, Judgement } from '../../shared/report.js';
import { meanInterval, mean } from '../../main/engine/statistics/statistics.js';
import type { RewardKind } from '../../shared/config/model.js';
import type { Judgements } from './judgements.js';
import type { KindReports } from './kinds.js';
import type { Supervised } from './supervised.js';
import type { TemperatureFigures } from './temperatures.js';

/** What `--json` writes with one seed. */
interface StudyResult {
  /** R² on the validation samples of cycle 1, of each kind that was trained. */
  readonly reward_r2: Readonly<Partial<Record<RewardKind, number | null>>>;
  readonly default_kind: RewardKind;
  /** How much likelier the judge finds the last generator's writing than base_model_v1's: mean of its two figures. */
  readonly judge_gain_nats: number | null;
  /** Held-out perplexity of the last generator over base_model_v1's, less one. */
  readonly perplexity_change: number | null;
  readonly distinct3_ratio: number | null;
  /** Copied share of the last generator's writing over that of base_model_v1, in stretches of `shortCopyLength`. */
  readonly copied_ratio: number | null;
  readonly fresh_discriminator_r2: readonly [old: number | null, latest: number | null];
}

/** @param kinds what each kind of reward model sees in cycle 1 */
export function studyResult({ natural, first, last }: Judgements, kind: RewardKind, kinds: KindReports): StudyResult {
  const r2s = Object.entries(kinds).map(([name, report]) => [name, report.r2] as const);
  const { judge_gain_nats, distinct3_ratio, copied_ratio } = writingFigures(last.judgement, first.judgement, natural);
  return {
    reward_r2: Object.fromEntries(r2s),
    default_kind: kind,
    judge_gain_nats,
    perplexity_change: last.perplexity / first.perplexity - 1,
    distinct3_ratio,
    copied_ratio,
    fresh_discriminator_r2: [first.fresh_discriminator.r2, last.fresh_discriminator.r2],
  };
}

/** What writing is compared by, whatever made it likelier. */
export interface WritingFigures {
  /** Nats per token that the judge finds it likelier by than `before`: the mean of its two figures. */
  readonly judge_gain_nats: number;
  readonly distinct3_ratio: number | null;
  /** Over that of `before`; null where that copies nothing. */
  readonly copied_ratio: number | null;
}

/** Nats per token that the judge finds writing likelier by, without a prompt and with one. */
export interface Gains {
  readonly unconditional: number;
  readonly prompted: number;
}

export const gains = (after: Judgement, before: Judgement): Gains => ({
  unconditional: before.unconditional.mean - after.unconditional.mean,
  prompted: before.prompted.mean - after.prompted.mean,
});

export function writingFigures(after: Judgement, before: Judgement, natural: Judgement): WritingFigures {
  const { unconditional, prompted } = gains(after, before);
  return {
    judge_gain_nats: (unconditional + prompted) / 2,
    distinct3_ratio: ratio(after.distinct_3, natural.distinct_3),
    copied_ratio: ratio(after.copied_share_short, before.copied_share_short),
  };
}

/** Nothing over nothing is no change; something over nothing has no number. */
function ratio(value: number | null | undefined, to: number | null | undefined): number | null {
  if (typeof value !== 'number' || typeof to !== 'number') return null;
  if (to === 0) return value === 0 ? 1 : null;
  return value / to;
}

/** A generator or natural text: the figures that tables and charts are made of. */
const judgedFigures = ({ unconditional, prompted, distinct_3, copied_share, copied_share_short }: Judgement) => ({
  judge_nats: unconditional,
  judge_nats_prompted: prompted,
  distinct_3,
  copied_share,
  copied_share_short,
});

/** Everything of one seed that the study's JSON keeps. */
export function studyRow(
  seed: number,
  reports: readonly CycleReport[],
  result: StudyResult,
  kinds: KindReports,
  { natural, first, last }: Judgements,
  {
    supervised,
    temperatures,
  }: {
    readonly supervised: Supervised | null;
    readonly temperatures: readonly TemperatureFigures[] | null;
  },
) {
  const generator = ({ name, judgement, fresh_discriminator: { r2, r2_interval } }: Judgements['first']) => ({
    name,
    ...judgedFigures(judgement),
    fresh_discriminator: { r2, interval: r2_interval },
  });
  return {
    seed,
    result,
    reward_models: Object.entries(kinds).map(([kind, { r2, r2_interval }]) => ({ kind, r2, interval: r2_interval })),
    cycles: reports.map(({ name, perplexity, grpo, reward_model }) => ({
      name,
      perplexity,
      reward_model: reward_model && { r2: reward_model.r2, interval: reward_model.r2_interval },
      reward: grpo && { before: grpo.reward_first, after: grpo.reward_last },
      kl: grpo?.kl ?? null,
    })),
    natural: judgedFigures(natural),
    generators: [generator(first), generator(last)],
    supervised,
    temperatures,
  };
}

export type StudyRow = ReturnType<typeof studyRow>;

/** Mean over seeds with Student's interval, for each figure that is a number in any. */
export function acrossSeeds(rows: readonly Readonly<Record<string, number | null>>[]) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return Object.fromEntries(
    names.flatMap((name): [string, { mean: number; interval: Interval | null }][] => {
      const values = rows.map((row) => row[name]).filter((value): value is number => typeof value === 'number');
      return values.length === 0 ? [] : [[name, { mean: mean(values), interval: meanInterval(values) }]];
    }),
  );
}
