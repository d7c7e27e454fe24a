/** What a row of the metrics says of each of several processes, for people. */
import type { RankFigures } from '../../../shared/contract/elsewhere.js';
import { rankMetric } from '../../../shared/phases/ranks.js';

/** @param places where each listens, by rank @returns null where the row says nothing of them */
export function figuresOfRanks(
  values: Readonly<Record<string, number | null>>,
  places: readonly string[],
): RankFigures[] | null {
  const found = places.flatMap((place, rank): RankFigures[] => {
    const waiting = values[rankMetric(rank, 'waiting')];
    const tokens_per_second = values[rankMetric(rank, 'tokens_per_second')] ?? null;
    return waiting === undefined ? [] : [{ rank, place, tokens_per_second, waiting }];
  });
  return found.length === 0 ? null : found;
}
