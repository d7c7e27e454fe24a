/**
 * What votes come to: preferences, ratings of all versions beside the reward, trust in the raters; where people and models
 * say that passages stop being natural. The mathematics is main/engine/judging; here the project's figures are put beside.
 */
import type { PairResults } from '../../../shared/contract/ratings.js';
import { finite } from '../../../shared/base/numbers.js';
import type { CycleReport, Interval } from '../../../shared/reports/report.js';
import { planStudy, type StudyPlan } from '../../engine/judging/design.js';
import { compare } from '../../engine/judging/sequential.js';
import { alarmOf } from '../../engine/judging/stopping.js';
import { trustIn } from '../../engine/judging/trust.js';
import { rateVersions } from '../../engine/judging/versions.js';
import { votesBetween, type BoundaryVote, type PairVote } from '../../engine/judging/votes.js';
import { modelNamesIn, readReports } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { readPairVotes, readVotes, type StoredVoteOf } from '../../storage/projects/rating-votes.js';
import { comparisonsOf, naturalSource, TESTS_SHARE, type Asked } from './questions.js';

/** Everybody's votes on pairs, in the order in which they were cast. @throws UserError `file_damaged` */
export const pairVotes = (folder: string): readonly PairVote[] => readPairVotes(openProject(folder).paths.ratings);

/** @param folder the project's */
export function pairResults(folder: string, { against }: Pick<Asked, 'against'>): PairResults {
  const votes = pairVotes(folder);
  const reports = readReports(folder);
  const found = comparisonsOf(folder).find((one) => one.against === against) ?? null;
  const comparison = found && compare(votesBetween(votes, found.first, found.second));
  const models = modelNamesIn(openProject(folder));
  const rated = [naturalSource, ...models].filter((name) =>
    votes.some(({ first, second, check }) => check === undefined && (first === name || second === name)),
  );
  const own = votes.filter(({ first, second }) => rated.includes(first) && rated.includes(second));
  const [base] = models;
  return {
    first: found?.first ?? null,
    second: found?.second ?? null,
    comparison,
    ratings:
      rated.length < 2
        ? null
        : rateVersions(own, rated, base !== undefined && rated.includes(base) ? { against: base } : {}),
    versions: models.map((version) => versionFacts(version, reports)),
    natural: naturalFacts(reports),
    alarm: comparison && against === 'previous' ? alarmOf(rewardChange(found?.first, reports), comparison) : null,
    trust: trustIn(votes),
  };
}

/** What the project measured of a generator: the reward, and how much it copies, which readers do not notice. */
export function versionFacts(version: string, reports: readonly CycleReport[]): PairResults['versions'][number] {
  const at = reports.findIndex(({ name }) => name === version);
  const grpo = reports[at]?.grpo ?? null;
  // The base model's is what the first cycle began with.
  const before = at === 0 ? (reports[1]?.grpo ?? null) : null;
  const written = reports[at]?.judgement?.generator;
  return {
    version,
    reward: finite(grpo?.reward_last ?? before?.reward_first),
    reward_interval: grpo?.reward_last_interval ?? before?.reward_first_interval ?? null,
    copied_share: finite(written?.copied_share_short ?? written?.copied_share),
    distinct_2: finite(written?.distinct_2),
  };
}

export function naturalFacts(reports: readonly CycleReport[]): PairResults['natural'] {
  const natural = reports.findLast(({ judgement }) => judgement !== null)?.judgement?.natural;
  return {
    copied_share: finite(natural?.copied_share_short ?? natural?.copied_share),
    distinct_2: finite(natural?.distinct_2),
  };
}

/** By how much the cycle that made a generator raised the reward: at least, and at most. */
export function rewardChange(version: string | undefined, reports: readonly CycleReport[]): Interval | null {
  const grpo = reports.find(({ name }) => name === version)?.grpo;
  const { reward_first_interval: before = null, reward_last_interval: after = null } = grpo ?? {};
  return before && after ? { low: after.low - before.high, high: after.high - before.low } : null;
}

/** Everybody's answers as main/engine/judging counts: words that are natural, not the first that is not. */
export function boundaryVotes(folder: string): readonly BoundaryVote[] {
  const before = (word: number | null) => (word === null ? null : word - 1);
  return readVotes(openProject(folder).paths.ratings).votes.flatMap((vote) =>
    vote.task === 'boundary' ? [boundaryVote({ ...vote, said: before(vote.said), truth: before(vote.truth) })] : [],
  );
}

const boundaryVote = ({ repeat_of, ...vote }: StoredVoteOf<'boundary'>): BoundaryVote =>
  repeat_of === undefined ? vote : { ...vote, repeat_of };

/** A study before it begins; repeats and known answers take their time too. */
export const studyPlan = (design: {
  readonly share: number;
  readonly ties: number;
  readonly seconds: number;
}): StudyPlan => planStudy({ ...design, checks: TESTS_SHARE });
