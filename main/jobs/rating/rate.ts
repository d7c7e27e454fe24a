/**
 * A person rates the writing of a project's generators at the terminal, blind (specification 5.5): the queue of the
 * window. Writes the passages that are not there yet, asks, and reports.
 */
import {
  ownRater,
  type Answer,
  type BlindQuestion,
  type PairAgainst,
  type RatingTask,
} from '../../../shared/rating.js';
import type { Language } from '../../../shared/language.js';
import { UserError } from '../../../shared/errors.js';
import { projectFacts } from '../../storage/projects/project-facts.js';
import { readText } from '../../storage/disk/file-bytes.js';
import type { Job, JobContext, Results } from '../types.js';
import { openDesk, type Desk } from './desk.js';
import { comparisonsOf, type Asked } from './questions.js';
import { boundaryResults } from './model-opinions.js';
import { ratingOpinionOf } from './reward-judge.js';
import { singleReport } from './single-report.js';
import { importResult, writeTask } from './task-files.js';
import { ratingsView } from './view.js';
import { writeRatingPassages } from './write.js';

interface RateSettings {
  readonly project: string;
  readonly task: RatingTask;
  /** Unset: the version before the newest, where there is one. */
  readonly against?: PairAgainst | undefined;
  readonly passages: number;
  /** Where to write a task for others to; then nothing is asked. */
  readonly export?: string | undefined;
  /** Of that task. */
  readonly language: Language;
  /** A file that came back; then nothing is asked. */
  readonly import?: string | undefined;
}

export const rateJob: Job<RateSettings> = async (settings, context) => {
  const { project: folder, task, against, passages } = settings;
  if (settings.import !== undefined) return { project: folder, ...importResult(folder, readText(settings.import)) };
  const asked = { task, against: task === 'pair' ? comparisonNamed(folder, against) : null };
  await writeRatingPassages({ folder, ...asked, passages }, context, () => undefined);
  if (settings.export !== undefined) {
    const { task_id, questions } = writeTask(folder, asked, { file: settings.export, language: settings.language });
    return { project: folder, ...asked, exported: settings.export, task_id, questions: questions.length };
  }
  const desk = openDesk(folder, { ...asked, rater: ownRater }, () => context.now());
  const rated = await askAll(folder, asked, desk, context);
  return {
    project: folder,
    ...asked,
    rated,
    waiting: desk.now(0).left,
    ...(await resultsOf(folder, asked, desk, context)),
  };
};

/** @throws UserError `bad_input` where the project has nothing of that kind */
function comparisonNamed(folder: string, wanted: PairAgainst | undefined): PairAgainst | null {
  const there = comparisonsOf(folder).map(({ against }) => against);
  if (wanted === undefined || there.length === 0) return there[0] ?? null;
  if (there.includes(wanted)) return wanted;
  throw new UserError({
    code: 'bad_input',
    message: `The newest model has no ${wanted} version to be compared with.`,
    hint: `Compare with: ${there.join(', ')}.`,
    field: 'against',
  });
}

async function resultsOf(folder: string, asked: Asked, desk: Desk, context: JobContext): Promise<Results> {
  switch (asked.task) {
    case 'single':
      return { ...singleReport(folder), opinion: await ratingOpinionOf({ folder }, context) };
    case 'pair': {
      const { comparison, comparisons } = ratingsView(folder, asked, desk);
      const { first, second } = comparisons.find(({ against }) => against === asked.against) ?? {};
      return {
        comparison,
        ...(first === undefined || second === undefined ? {} : { first, second }),
        ...nextOf(folder),
      };
    }
    case 'boundary':
      return { ...(await boundaryResults({ folder }, context)) };
  }
}

/** What a project that goes by people's votes does now; nothing of any other. */
function nextOf(folder: string): Results {
  const facts = projectFacts(folder);
  if (facts.kind !== 'whole' || facts.project.config.stop_when !== 'people') return {};
  return { next: facts.awaits ? 'waits' : facts.ended ? 'ended' : 'another_cycle' };
}

const single: Readonly<Record<string, Answer>> = { n: 'natural', g: 'generated' };
const pair: Readonly<Record<string, Answer>> = { 1: 'first', 2: 'second', 0: 'tie', 9: 'both_bad' };

/** How a question stands on the terminal, what can be typed, and what it means. */
function shown(question: BlindQuestion): {
  readonly text: string;
  readonly ask: string;
  readonly keys: string;
  answer(typed: string): Answer | undefined;
} {
  switch (question.task) {
    case 'single':
      return {
        text: `…${question.prompt}⟦${question.text}⟧…`,
        ask: 'What stands in ⟦ ⟧: n natural, g generated',
        keys: 'n, g',
        answer: (typed) => single[typed.charAt(0)],
      };
    case 'pair':
      return {
        text: `…${question.prompt}\n\n1 ⟦${question.first}⟧\n\n2 ⟦${question.second}⟧`,
        ask: 'Which continues it better: 1, 2, 0 as good as each other, 9 both bad',
        keys: '1, 2, 0, 9',
        answer: (typed) => pair[typed],
      };
    case 'boundary':
      return {
        text: numbered(question.words),
        ask: 'The number of the first word that a model wrote, or n where there is none',
        keys: 'a number, n',
        answer(typed) {
          if (typed === 'n') return 'never';
          const at = /^\d+$/.test(typed) ? Number(typed) : 0;
          return at >= 1 && at <= question.words.length ? at : undefined;
        },
      };
  }
}

/** Every fifth word with its number, so that one is found by counting a few. */
const numbered = (words: readonly string[]): string =>
  words.map((word, at) => ((at + 1) % 5 === 1 ? `[${at + 1}] ${word}` : word)).join('');

/** Until everything is rated, or the person has had enough. @returns how many were rated */
async function askAll(folder: string, asked: Asked, desk: Desk, context: JobContext): Promise<number> {
  const before = desk.rated();
  const skipped = new Set<string>();
  for (;;) {
    // One more than was left out is enough to find one that was not.
    const { waiting, left, rated } = desk.now(skipped.size + 1);
    const question = waiting.find(({ id }) => !skipped.has(id));
    if (!question) break;
    const begun = context.now();
    const answer = await answerTo(`Passage ${rated + 1} of ${rated + left}`, question, context);
    if (answer === 'quit') break;
    if (answer === 'back') {
      desk.undo(null);
      skipped.clear();
    } else if (answer === 'skip') skipped.add(question.id);
    else {
      desk.vote(question.id, answer, (context.now() - begun) / 1000);
      tellWhenKnown(folder, asked, desk, context);
    }
  }
  return desk.rated() - before;
}

/** Says once that it is decided: results may be looked at after every vote (main/engine/judging/sequential.ts). */
function tellWhenKnown(folder: string, asked: Asked, desk: Desk, context: JobContext): void {
  const { comparison } = ratingsView(folder, asked, desk);
  if (!comparison || comparison.decided === null) return;
  const votes = comparison.wins + comparison.losses + comparison.ties + comparison.both_bad;
  if (comparison.decided_at !== votes) return;
  const message = 'This is decided: you may stop.';
  context.emit({ event: 'notice', level: 'info', code: 'rating_decided', message });
}

async function answerTo(
  heading: string,
  question: BlindQuestion,
  context: JobContext,
): Promise<Answer | 'skip' | 'back' | 'quit'> {
  const { text, ask, keys, answer } = shown(question);
  let line = `\n${heading}\n\n${text}\n\n${ask}, Enter to skip, b to go back, q to end? `;
  for (;;) {
    const reply = context.stop.requested ? null : await context.ask?.(line);
    const typed = reply?.trim().toLowerCase();
    if (typed === undefined || typed === 'q' || typed === 'quit') return 'quit';
    if (typed === '') return 'skip';
    if (typed === 'b' || typed === 'back') return 'back';
    const found = answer(typed);
    if (found !== undefined) return found;
    line = `${keys}, b, Enter or q? `;
  }
}
