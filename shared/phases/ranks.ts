/** What is told of a run that several processes do together: how many they are, and how much of the time they wait. */
import type { Chart, Metric } from './phase.js';

export const ranksMetrics = {
  ranks: { label: 'Processes', term: 'ranks' },
  waiting: { label: 'on average', unit: 'share', term: 'waiting' },
  waiting_most: { label: 'who waits most', unit: 'share', term: 'waiting' },
  waiting_least: { label: 'who waits least', unit: 'share', term: 'waiting' },
} as const satisfies Readonly<Record<string, Metric>>;

type Figure = 'tokens_per_second' | 'waiting';
/** One rank's own: what it computes while it does not wait, and the share of the time in which it does. In no chart. */
export type RankMetric = `rank_${number}_${Figure}`;
export const rankMetric = (rank: number, figure: Figure): RankMetric => `rank_${rank}_${figure}`;

/** What a row of the metrics says of each rank, by rank; none where it says nothing of them. */
export function figuresOfRanks(values: Readonly<Record<string, number | null>>) {
  const of = (rank: number, figure: Figure) => values[rankMetric(rank, figure)] ?? null;
  const all = Array.from({ length: RANKS_NAMED }, (_, rank) => ({
    rank,
    tokens_per_second: of(rank, 'tokens_per_second'),
    waiting: of(rank, 'waiting'),
  }));
  return all.filter(({ waiting }) => waiting !== null);
}

/** So many ranks have figures of their own in each row. */
export const RANKS_NAMED = 32;

/** There only where there are several. */
export const waitingChart: Chart<keyof typeof ranksMetrics> = {
  title: 'Processes wait for each other',
  optional: true,
  lines: [
    { metric: 'waiting', colour: 'line1' },
    { metric: 'waiting_most', colour: 'line5', dashed: true },
    { metric: 'waiting_least', colour: 'line3', dashed: true },
  ],
};
