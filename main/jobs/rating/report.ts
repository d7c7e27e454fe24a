/** What people's judgements of a project come to, as a file for others: a page, data, rows, or pairs to train on. */
import { basename, dirname, join, resolve } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { UserError } from '../../../shared/errors.js';
import {
  ratingReportFormats,
  type JudgingReport,
  type RatingReportFormat,
  type Writing,
} from '../../../shared/judging-report.js';
import type { Language } from '../../../shared/language.js';
import { judgingReport, type JudgedPair } from '../../engine/judging/report.js';
import type { PairVote } from '../../engine/judging/votes.js';
import { methodsParagraph } from '../../formats/ratings/methods.js';
import { preferencePairs, type PairTexts } from '../../formats/ratings/preference-pairs.js';
import { reportPage } from '../../formats/ratings/report-page.js';
import { judgementRows } from '../../formats/ratings/rows.js';
import { writeFileAtomic } from '../../storage/disk/atomic.js';
import { mustLieOutside } from '../../storage/projects/export-place.js';
import { modelNamesIn, readReports } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import type { JobContext } from '../types.js';
import { naturalSource, pairsBetween } from './questions.js';
import { boundaryOpinions, newestRewardModels } from './model-opinions.js';
import { boundaryVotes, naturalFacts, pairVotes, rewardChange, versionFacts } from './results.js';
import { naturalBy } from './reward-judge.js';
import { singleVotes } from './single-report.js';

interface ReportSettings {
  readonly project: string;
  readonly format: RatingReportFormat;
  /** Null: the project's name beside it. */
  readonly file: string | null;
  /** Whether reward models are asked about every pair and passage. */
  readonly scores: boolean;
  /** Of the page, and of the sentences in the data. */
  readonly language: Language;
}

/** @throws UserError `bad_input` where nothing has been judged; `exists` for a place within a project; those of files */
export async function writeRatingReport(
  { project, format, file, scores, language }: ReportSettings,
  context: JobContext,
) {
  const folder = resolve(project);
  const target = file ?? join(dirname(folder), `${basename(folder)}.${ratingReportFormats[format]}`);
  mustLieOutside(target);
  const [votes, boundary, singles] = [pairVotes(folder), boundaryVotes(folder), singleVotes(folder)];
  const judgements = votes.length + boundary.length + singles.length;
  if (judgements === 0) throw nothingToTell(`Nothing of ${project} has been rated yet.`);
  const text = async () => {
    switch (format) {
      case 'html':
        return reportPage(await ratingReportOf(folder, { scores, language }, context));
      case 'json':
        return `${JSON.stringify(await ratingReportOf(folder, { scores, language }, context), null, 2)}\n`;
      case 'csv':
        return judgementRows({ votes, boundary, singles });
      case 'pairs':
        return preferencePairs(votes, pairTexts(folder, votes));
    }
  };
  const bytes = Buffer.from(await text(), 'utf8');
  if (bytes.length === 0) throw nothingToTell(`In no pair of ${project} was one side preferred.`);
  writeFileAtomic(target, bytes);
  return { project, file: target, format, judgements, bytes: bytes.length };
}

const nothingToTell = (message: string) =>
  new UserError({ code: 'bad_input', message, hint: 'Rate it first, with rate.', field: 'project' });

/** @param scores whether reward models are loaded and asked. @throws UserError when `folder` is no project */
async function ratingReportOf(
  folder: string,
  { scores, language }: Pick<ReportSettings, 'scores' | 'language'>,
  context: JobContext,
): Promise<JudgingReport> {
  const votes = pairVotes(folder);
  const boundary = boundaryVotes(folder);
  const generators = modelNamesIn(openProject(folder));
  const reports = readReports(folder);
  const natural: Writing = { version: naturalSource, reward: null, reward_interval: null, ...naturalFacts(reports) };
  return judgingReport({
    project: basename(folder),
    made_at: new Date(context.now()).toISOString(),
    verisim: packageFile.version,
    language,
    methods: (facts) => methodsParagraph(facts, language),
    versions: [naturalSource, ...generators],
    votes,
    boundary,
    boundary_opinions: scores ? await boundaryOpinions(folder, boundary, context) : [],
    singles: singleVotes(folder),
    pairs: scores ? await judgedPairs(folder, votes, context) : [],
    writing: [natural, ...generators.map((version) => versionFacts(version, reports))],
    reward_change: rewardChange(generators.at(-1), reports),
  });
}

/** Every pair of two versions that somebody has voted on, with both texts, in the order in which the versions were. */
function pairTexts(folder: string, votes: readonly PairVote[]): readonly PairTexts[] {
  const compared = new Map(
    votes
      .filter(({ check }) => check === undefined)
      .map(({ first, second }) => [JSON.stringify([first, second]), { first, second }]),
  );
  return [...compared.values()].flatMap(({ first, second }) =>
    pairsBetween(folder, first, second).map(({ id, prompt, texts }) => ({
      pair: id,
      prompt,
      first,
      second,
      first_text: texts.first,
      second_text: texts.second,
    })),
  );
}

/** The same with what the newest reward models make of both sides, voted on or not. */
async function judgedPairs(
  folder: string,
  votes: readonly PairVote[],
  context: JobContext,
): Promise<readonly JudgedPair[]> {
  const pairs = pairTexts(folder, votes);
  const whole = [...new Set(pairs.flatMap((pair) => [pair.prompt + pair.first_text, pair.prompt + pair.second_text]))];
  const scores = new Map<string, ReadonlyMap<string, number>>();
  for (const judge of newestRewardModels(folder)) {
    const values = await naturalBy(folder, judge, whole, context);
    const found = new Map(whole.map((text, at) => [text, values[at] ?? Number.NaN]));
    // One that cannot judge every pair judges none: votes are compared with all of them.
    if ([...found.values()].every(Number.isFinite)) scores.set(judge, found);
  }
  return pairs.map(({ pair, prompt, first, second, first_text, second_text }) => ({
    pair,
    first,
    second,
    scores: Object.fromEntries(
      [...scores].map(([judge, found]) => {
        const score = (text: string) => found.get(prompt + text) ?? Number.NaN;
        return [judge, { first: score(first_text), second: score(second_text) }];
      }),
    ),
  }));
}
