/** Reports what people's votes on a project say, as data for the window and as a file: a page, JSON or CSV. */
import { basename, dirname, join, resolve } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { UserError } from '../../../shared/errors.js';
import {
  ratingReportFormats,
  type JudgingReport,
  type RatingReportFormat,
  type Writing,
} from '../../../shared/judging-report.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { localized } from '../../../shared/messages/message.js';
import { finite } from '../../../shared/base/numbers.js';
import type { CycleReport, Interval } from '../../../shared/reports/report.js';
import { judgingReport } from '../../engine/judging/report.js';
import type { BoundaryVote } from '../../engine/judging/votes.js';
import { reportPage } from '../../formats/ratings/report-page.js';
import { judgementRows } from '../../formats/ratings/rows.js';
import { writeFileAtomic } from '../../storage/disk/atomic.js';
import { mustLieOutside } from '../../storage/projects/export-place.js';
import { modelNamesIn, readReports } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { readPairVotes, readVotes } from '../../storage/projects/rating-votes.js';
import { noteIgnored } from './desk.js';
import { naturalSource } from './questions.js';
import type { JobContext } from '../types.js';

interface ReportSettings {
  readonly project: string;
  readonly format: RatingReportFormat;
  /** Null: next to the project, with its name. */
  readonly file: string | null;
  /** Of the page. */
  readonly language: Language;
}

/** @throws UserError `bad_input` without votes; `exists` for a place within a project; those of files */
export async function writeRatingReport(
  { project, format, file, language }: ReportSettings,
  { now, emit }: Pick<JobContext, 'now' | 'emit'>,
) {
  const folder = resolve(project);
  const target = file ?? join(dirname(folder), `${basename(folder)}.${ratingReportFormats[format]}`);
  mustLieOutside(target);
  noteIgnored(folder, emit);
  const report = ratingReport(folder, now);
  const [votes, boundary] = votesOf(folder);
  const judgements = votes.length + boundary.length;
  if (judgements === 0) {
    const message = localized('rating.faults.nothing_rated', { project });
    throw new UserError({ code: 'bad_input', message, hint: localized('rating.faults.rate_first'), field: 'project' });
  }
  const text = {
    html: () => reportPage(report, language),
    json: () => `${JSON.stringify(report, null, 2)}\n`,
    csv: () => judgementRows(votes, boundary),
  }[format]();
  const bytes = Buffer.from(text, 'utf8');
  writeFileAtomic(target, bytes);
  return Promise.resolve({ project, file: target, format, judgements, bytes: bytes.length });
}

const votesOf = (folder: string) => {
  const { ratings } = openProject(folder).paths;
  return [readPairVotes(ratings), boundaryVotes(ratings)] as const;
};

/** @param folder the project's. @throws UserError `file_damaged` */
export function ratingReport(folder: string, now: () => number): JudgingReport {
  const project = openProject(folder);
  const [votes, boundary] = votesOf(folder);
  const generators = modelNamesIn(project);
  const reports = readReports(folder);
  return judgingReport({
    project: basename(folder),
    made_at: new Date(now()).toISOString(),
    verisim: packageFile.version,
    versions: [naturalSource, ...generators],
    votes,
    boundary,
    ignored: readVotes(project.paths.ratings).ignored,
    writing: [naturalWriting(reports), ...generators.map((version) => writingOf(version, reports))],
    reward_change: rewardChange(generators.at(-1), reports),
  });
}

/** Reads everyone's answers, with the number of natural words instead of the first generated one. */
function boundaryVotes(ratings: string): readonly BoundaryVote[] {
  const naturalBefore = (word: number | null) => (word === null ? null : word - 1);
  return readVotes(ratings).votes.flatMap((vote) =>
    vote.task === 'boundary' ? [{ ...vote, said: naturalBefore(vote.said), truth: naturalBefore(vote.truth) }] : [],
  );
}

function writingOf(version: string, reports: readonly CycleReport[]): Writing {
  const at = reports.findIndex(({ name }) => name === version);
  // The first cycle measures the base model before it trains.
  const reward = reports[at]?.grpo?.reward_last ?? (at === 0 ? reports[1]?.grpo?.reward_first : undefined);
  return { version, reward: finite(reward), ...varietyOf(reports[at]?.judgement?.generator) };
}

const naturalWriting = (reports: readonly CycleReport[]): Writing => ({
  version: naturalSource,
  reward: null,
  ...varietyOf(reports.findLast(({ judgement }) => judgement !== null)?.judgement?.natural),
});

type Judgement = NonNullable<CycleReport['judgement']>['natural'];
const varietyOf = (written: Judgement | undefined) => ({
  copied_share: finite(written?.copied_share_short ?? written?.copied_share),
  distinct_2: finite(written?.distinct_2),
});

/** Bounds the change of the mean reward in the cycle that trained a generator. */
function rewardChange(version: string | undefined, reports: readonly CycleReport[]): Interval | null {
  const grpo = reports.find(({ name }) => name === version)?.grpo;
  const { reward_first_interval: before = null, reward_last_interval: after = null } = grpo ?? {};
  return before && after ? { low: after.low - before.high, high: after.high - before.low } : null;
}
