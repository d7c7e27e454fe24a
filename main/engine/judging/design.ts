/** A study before it begins: how many votes a difference worth knowing takes, and how long that is. Exact, nothing is drawn. */
import { walk } from './walk.js';

interface StudyDesign {
  /** The smallest share of untied votes for the better one that is worth knowing of: in (0.5, 1). */
  readonly share: number;
  /** Share of votes that tell nothing (ties, both bad), in [0, 1). */
  readonly ties: number;
  /** Seconds for one vote. */
  readonly seconds: number;
  /** Repeats and known answers among what is shown, in [0, 1): they take time and are no evidence. */
  readonly checks?: number;
}

export interface StudyPlan {
  /** Votes after which a difference of that size is found half of the time, and four times of five; null: over 5,000. */
  readonly votes: number | null;
  readonly votes_80: number | null;
  /** For the same, everything that is shown included. */
  readonly minutes: number | null;
  readonly minutes_80: number | null;
}

const MOST = 5_000;

/** @throws RangeError for a design outside of its ranges */
export function planStudy({ share, ties, seconds, checks = 0 }: StudyDesign): StudyPlan {
  if (!(share > 0.5 && share < 1)) throw new RangeError(`a share between 0.5 and 1, not ${String(share)}`);
  if (!(ties >= 0 && ties < 1) || !(checks >= 0 && checks < 1) || !(seconds >= 0)) {
    throw new RangeError(`ties ${String(ties)}, checks ${String(checks)}, seconds ${String(seconds)}`);
  }
  const untied = votesFor(share, [0.5, 0.8]);
  const [votes = null, votes_80 = null] = untied.map((n) => (n === null ? null : Math.ceil(n / (1 - ties))));
  const inMinutes = (n: number | null) => (n === null ? null : ((n / (1 - checks)) * seconds) / 60);
  return { votes, votes_80, minutes: inMinutes(votes), minutes_80: inMinutes(votes_80) };
}

/** Untied votes after which the better one has been named with each of these probabilities (rising); null: over MOST. */
function votesFor(share: number, probabilities: readonly number[]): readonly (number | null)[] {
  const found: number[] = [];
  for (const { votes, first } of walk(() => share, MOST)) {
    while (found.length < probabilities.length && first >= (probabilities[found.length] ?? 1)) found.push(votes);
    if (found.length === probabilities.length) break;
  }
  return probabilities.map((_, at) => found[at] ?? null);
}
