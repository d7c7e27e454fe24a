/** The whole report of human evaluation, from votes and what is known beside them. */
import type { BoundaryJudge, Comparison, Trust } from '../../../shared/judging.js';
import type { Language } from '../../../shared/language.js';
import type { Verdict as SingleVerdict } from '../../../shared/rating.js';
import type { JudgingReport, Writing } from '../../../shared/judging-report.js';
import type { Interval } from '../../../shared/reports/report.js';
import { boundaryJudges, type BoundaryOpinion } from './boundary.js';
import { preference, type ScoredPair } from './control.js';
import { compare } from './sequential.js';
import { alarmOf } from './stopping.js';
import { shareOf, trustIn } from './trust.js';
import { rateVersions } from './versions.js';
import {
  independentVotes,
  isOfVersions,
  votesBetween,
  type BoundaryVote,
  type PairVote,
  type SetAside,
} from './votes.js';

/** A pair that there is, voted on or not, with what each model makes of both sides. */
export interface JudgedPair {
  readonly pair: string;
  readonly first: string;
  readonly second: string;
  /** By model; both finite. */
  readonly scores: Readonly<Record<string, { readonly first: number; readonly second: number }>>;
}

/** What the method of the judgements is told from. */
export interface MethodsFacts {
  /** Everything that was said of pairs. */
  readonly votes: readonly PairVote[];
  readonly set_aside: SetAside;
  readonly comparisons: readonly { readonly comparison: Comparison }[];
  readonly trust: Trust;
  readonly boundary: readonly BoundaryVote[];
  readonly judges: readonly BoundaryJudge[];
  readonly singles: number;
}

export interface JudgingInput {
  readonly project: string;
  /** ISO 8601. */
  readonly made_at: string;
  readonly verisim: string;
  /** What its sentences are in. */
  readonly language: Language;
  /** A paragraph in that language. */
  readonly methods: (facts: MethodsFacts) => string;
  /** `natural`, then the generators in order. */
  readonly versions: readonly string[];
  /** Everything that was said of pairs, in order. */
  readonly votes: readonly PairVote[];
  readonly boundary?: readonly BoundaryVote[];
  readonly boundary_opinions?: readonly BoundaryOpinion[];
  readonly singles?: readonly { readonly source: string; readonly verdict: SingleVerdict }[];
  readonly pairs?: readonly JudgedPair[];
  readonly writing?: readonly Writing[];
  /** Change of the mean reward from the version before the newest to the newest. */
  readonly reward_change?: Interval | null;
}

export function judgingReport(input: JudgingInput): JudgingReport {
  const { project, made_at, verisim, language, versions, votes, boundary = [], singles = [] } = input;
  const { votes: counted, set_aside } = independentVotes(votes);
  const comparisons = comparisonsOf(input);
  // Votes on a version that is no more (a cycle that was done anew) are counted, and rate nothing.
  const known = votes.filter(({ first, second }) => versions.includes(first) && versions.includes(second));
  const told = known.filter(isOfVersions);
  const rated = versions.filter((name) => told.some(({ first, second }) => first === name || second === name));
  const trust = trustIn(votes);
  const judges = boundaryJudges(boundary, input.boundary_opinions);
  return {
    format: 'verisim-ratings',
    format_version: 1,
    project,
    made_at,
    verisim,
    language,
    versions,
    votes: {
      pairs: counted.length,
      repeats: set_aside.repeats,
      known_answers: set_aside.checks,
      again: set_aside.again,
      boundary: boundary.length,
      single: singles.length,
    },
    comparisons,
    ratings: rated.length < 2 ? null : rateVersions(told, rated, { against: generatorsOf(rated)[0] ?? rated[0] }),
    trust,
    boundary: judges,
    singles: versions.flatMap((version) => {
      const own = singles.filter(({ source }) => source === version);
      const natural = own.filter(({ verdict }) => verdict === 'natural').length;
      return own.length === 0 ? [] : [{ version, natural: shareOf(natural, own.length) }];
    }),
    writing: input.writing ?? [],
    alarm: alarmIn(input),
    methods: input.methods({ votes, set_aside, comparisons, trust, boundary, judges, singles: singles.length }),
  };
}

const generatorsOf = (versions: readonly string[]) => versions.filter((name) => name !== 'natural');

/** The newest against the one before it, where there are two. */
function newestTwo(versions: readonly string[]): readonly [newest: string, previous: string] | null {
  const [previous, newest] = generatorsOf(versions).slice(-2);
  return previous === undefined || newest === undefined ? null : [newest, previous];
}

/** Every two versions that were voted on; of the newest first, and there against the one before it first. */
function comparisonsOf({ versions, votes, pairs = [] }: JudgingInput): JudgingReport['comparisons'] {
  const found: JudgingReport['comparisons'][number][] = [];
  for (const [at, first] of [...versions.entries()].reverse()) {
    for (const second of versions.slice(0, at).reverse()) {
      const between = votesBetween(votes, first, second);
      if (independentVotes(between).votes.length === 0) continue;
      const { scored, models } = scoredPairs(pairs, between, first, second);
      found.push({ first, second, comparison: compare(between), preference: preference(scored), models });
    }
  }
  return found;
}

/** The pairs of two versions with their votes and scores; where the votes are on pairs that are not known, those alone. */
function scoredPairs(
  pairs: readonly JudgedPair[],
  between: readonly PairVote[],
  first: string,
  second: string,
): { readonly scored: readonly ScoredPair[]; readonly models: readonly string[] } {
  const said = new Map(independentVotes(between).votes.map(({ pair, outcome }) => [pair, outcome]));
  const own = pairs.filter(
    (pair) => (pair.first === first && pair.second === second) || (pair.first === second && pair.second === first),
  );
  // A model counts where it has an opinion of every pair.
  const models = Object.keys(own[0]?.scores ?? {}).filter((model) => own.every(({ scores }) => model in scores));
  const known = new Set(own.map(({ pair }) => pair));
  if (models.length === 0 || [...said.keys()].some((pair) => !known.has(pair))) {
    return { scored: [...said.values()].map((outcome) => ({ outcome, scores: [] })), models: [] };
  }
  const scored = own.map(({ pair, first: one, scores }): ScoredPair => {
    const sign = one === first ? 1 : -1;
    const differences = models.map((model) => {
      const score = scores[model];
      return score ? sign * (score.first - score.second) : Number.NaN;
    });
    return { outcome: said.get(pair) ?? null, scores: differences };
  });
  return { scored, models };
}

function alarmIn({ versions, votes, reward_change = null }: JudgingInput): JudgingReport['alarm'] {
  const two = newestTwo(versions);
  if (two === null) return null;
  const [newest, previous] = two;
  const alarm = alarmOf(reward_change, compare(votesBetween(votes, newest, previous)));
  return alarm && { alarm, newest, previous };
}
