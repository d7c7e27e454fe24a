/**
 * Two versions compared by votes, with a result that may be looked at after every one of them. Only untied votes count as
 * evidence: if the two are equal, each is for the first with probability 1/2, ties or not. evidence.ts is the mathematics.
 */
import { MAX_VOTES, type Comparison } from '../../../shared/judging.js';
import { DECISIVE, logEvidence, MIXTURE, shareInterval } from './evidence.js';
import { independentVotes, type PairVote } from './votes.js';
import { walk } from './walk.js';

/** Below this probability of ever being decided it is not worth going on. */
const HOPELESS = 0.05;

/** Follows votes as they come; a decision stays once it is made. */
interface SequentialTest {
  /** @param outcome of the next untied vote */
  add(outcome: 'first' | 'second'): void;
  readonly wins: number;
  readonly losses: number;
  /** log E(1/2) now. */
  readonly logEvidence: number;
  /** Null until the evidence has reached 20 once. */
  readonly decided: 'first' | 'second' | null;
  /**
   * 95 % of the share, true after every vote at once: what no vote so far has spoken against; what the last one leaves,
   * where together they leave nothing (which happens in one study of twenty at most).
   */
  interval(): { readonly low: number; readonly high: number };
}

export function createTest(): SequentialTest {
  const decisive = Math.log(DECISIVE);
  let [wins, losses, log] = [0, 0, 0];
  let decided: 'first' | 'second' | null = null;
  const path: (readonly [number, number])[] = [];
  return {
    add(outcome) {
      if (outcome === 'first') wins++;
      else losses++;
      path.push([wins, losses]);
      log = logEvidence(wins, losses);
      if (decided === null && log >= decisive) decided = wins > losses ? 'first' : 'second';
    },
    get wins() {
      return wins;
    },
    get losses() {
      return losses;
    },
    get logEvidence() {
      return log;
    },
    get decided() {
      return decided;
    },
    interval() {
      let [low, high, nothing] = [0, 1, false];
      const refuted = (w: number, l: number, p: number) => logEvidence(w, l, p) > decisive + 1e-9;
      for (const [w, l] of path) {
        // Most votes leave the ends where they are: two logarithms tell.
        const share = w / (w + l);
        if (refuted(w, l, low)) {
          if (low < share) low = shareInterval(w, l).low;
          else nothing = true;
        }
        if (refuted(w, l, high)) {
          if (high > share) high = shareInterval(w, l).high;
          else nothing = true;
        }
      }
      return nothing || low > high ? shareInterval(wins, losses) : { low, high };
    },
  };
}

/**
 * @param cast votes on the same two versions, in the order in which they were cast; those that are not independent are
 *   left out (`independentVotes`)
 * @throws RangeError when they are not all of the same first and second: see votesBetween
 */
export function compare(cast: readonly PairVote[]): Comparison {
  const { votes } = independentVotes(cast);
  const [{ first, second } = { first: '', second: '' }] = votes;
  const test = createTest();
  let [ties, both_bad] = [0, 0];
  let decided_at: number | null = null;
  for (const [at, vote] of votes.entries()) {
    if (vote.first !== first || vote.second !== second) throw new RangeError(`a vote on ${vote.first}, ${vote.second}`);
    if (vote.outcome === 'tie') ties++;
    else if (vote.outcome === 'both_bad') both_bad++;
    else test.add(vote.outcome);
    if (decided_at === null && test.decided !== null) decided_at = at + 1;
  }
  const { wins, losses, decided } = test;
  const ahead = decided === null ? outlook(wins, losses, ties + both_bad) : { votes_left: null, chance: 1 };
  return {
    wins,
    losses,
    ties,
    both_bad,
    e_value: Math.exp(test.logEvidence),
    decided,
    decided_at,
    share: wins + losses === 0 ? null : wins / (wins + losses),
    interval: test.interval(),
    ...ahead,
    hopeless: ahead.chance < HOPELESS,
  };
}

/**
 * How many more votes an undecided comparison needs: the mixture's own prediction, in which the next vote is for the first
 * with probability (a + wins) / (2a + votes). So a share of few votes is not taken at its word.
 */
function outlook(
  wins: number,
  losses: number,
  untold: number,
): { readonly votes_left: number | null; readonly chance: number } {
  const untied = wins + losses;
  const cast = untied + untold;
  // Ties go on as they came.
  const told = (untied + 1) / (cast + 1);
  const most = untied + Math.floor(Math.max(0, MAX_VOTES - cast) * told);
  const next = (w: number, l: number) => (MIXTURE + w) / (2 * MIXTURE + w + l);
  let votes_left: number | null = null;
  let chance = 0;
  for (const step of walk(next, most, { wins, losses })) {
    chance = step.first + step.second;
    if (votes_left === null && chance >= 0.5) votes_left = Math.ceil((step.votes - untied) / told);
  }
  return { votes_left, chance };
}
