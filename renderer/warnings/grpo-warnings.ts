/**
 * Signs that GRPO goes wrong, read from its metrics: the reward model is being fooled rather than the text improved, or
 * the writing collapses. Each has the step since which it holds.
 */
import type { Series } from '../../shared/contract/projects.js';

export const warningCodes = [
  'reward_hacking',
  'repetition',
  'entropy_collapse',
  'near_kl_cap',
  'no_signal',
  'copying',
  'blind_reward_model',
] as const;
export type WarningCode = (typeof warningCodes)[number];

interface GrpoWarning {
  readonly code: WarningCode;
  /** The first step from which on it has held; null when it is not of a step. */
  readonly since: number | null;
  /** What was seen: the value at the beginning (or the limit), and now. */
  readonly before: number | null;
  readonly now: number | null;
}

export interface WarningInput {
  readonly series: Readonly<Record<string, Series>>;
  readonly klCap: number | null;
  /** Of the reward model of this cycle, where it is known. */
  readonly rewardModelIsBlind: boolean | null;
}

/** Values are judged as means over so many neighbouring log lines: one odd step is no warning. */
const WINDOW = 5;
const RISEN_REWARD = 0.05;
const WORSE_PERPLEXITY = 1.03;
const LESS_VARIETY = 0.75;
const LOWEST_ENTROPY = 0.5;
const NEAR_CAP = 0.8;
const WITHOUT_SIGNAL = 0.5;
const COPIED_SHARE = 0.3;

interface Point {
  readonly step: number;
  readonly value: number;
}

export function grpoWarnings({ series, klCap, rewardModelIsBlind }: WarningInput): readonly GrpoWarning[] {
  const of = (name: string) => averaged(measuredPoints(series[name]));
  const relative = (code: WarningCode, name: string, isBad: (value: number, first: number) => boolean) => {
    const points = of(name);
    const first = points[0]?.value;
    return first === undefined ? null : holding(code, points, (value) => isBad(value, first), first);
  };
  const absolute = (code: WarningCode, name: string, limit: number | null, isBad: (value: number) => boolean) =>
    holding(code, of(name), isBad, limit);

  return [
    rewardModelIsBlind === true ? { code: 'blind_reward_model' as const, since: null, before: null, now: null } : null,
    rewardHacking(of('reward'), measuredPoints(series['held_out_perplexity'])),
    relative('repetition', 'distinct_2', (value, first) => value < LESS_VARIETY * first),
    relative('entropy_collapse', 'entropy', (value, first) => value < LOWEST_ENTROPY * first),
    klCap === null ? null : absolute('near_kl_cap', 'kl', klCap, (value) => value > NEAR_CAP * klCap),
    absolute('no_signal', 'frac_reward_zero_std', null, (value) => value > WITHOUT_SIGNAL),
    relative('copying', 'copied_share', (value, first) => value > COPIED_SHARE && value > 2 * first),
  ].filter((warning) => warning !== null);
}

/** The reward rises while the model gets worse at the text it has not seen: it pleases the reward model, not the reader. */
function rewardHacking(reward: readonly Point[], perplexity: readonly Point[]): GrpoWarning | null {
  const [first, last] = [reward[0], reward.at(-1)];
  const best = perplexity.reduce<Point | null>((low, point) => (low && low.value <= point.value ? low : point), null);
  const now = perplexity.at(-1);
  if (!first || !last || !best || !now || last.value - first.value < RISEN_REWARD) return null;
  if (now.value <= WORSE_PERPLEXITY * best.value) return null;
  const since = perplexity.find(({ step, value }) => step > best.step && value > best.value);
  return { code: 'reward_hacking', since: since?.step ?? now.step, before: best.value, now: now.value };
}

/** A warning when the condition holds at the end: since the first step from which it has held without a break. */
function holding(
  code: WarningCode,
  points: readonly Point[],
  isBad: (value: number) => boolean,
  before: number | null,
): GrpoWarning | null {
  const last = points.at(-1);
  if (!last || !isBad(last.value)) return null;
  let since = last.step;
  for (let at = points.length - 1; at >= 0; at--) {
    const point = points[at];
    if (!point || !isBad(point.value)) break;
    since = point.step;
  }
  return { code, since, before, now: last.value };
}

const measuredPoints = (series: Series | undefined): readonly Point[] =>
  (series?.steps ?? []).flatMap((step, at) => {
    const value = series?.values[at];
    return value === null || value === undefined || !Number.isFinite(value) ? [] : [{ step, value }];
  });

/** Means over WINDOW neighbours, at the step of the last of them; none before there are as many. */
function averaged(points: readonly Point[]): readonly Point[] {
  return points.slice(WINDOW - 1).map(({ step }, at) => {
    const window = points.slice(at, at + WINDOW);
    return { step, value: window.reduce((sum, { value }) => sum + value, 0) / window.length };
  });
}
