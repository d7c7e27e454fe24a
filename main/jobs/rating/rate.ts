/** Lets a person rate at the terminal, blind (specification 5.5), with the same queue as the window. */
import { UserError } from '../../../shared/errors.js';
import { votesIn } from '../../../shared/judging.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { localized } from '../../../shared/messages/message.js';
import {
  never,
  ownRater,
  type Answer,
  type BlindQuestion,
  type PairAgainst,
  type RatingTask,
} from '../../../shared/rating.js';
import { readText } from '../../storage/disk/file-bytes.js';
import { projectFacts } from '../../storage/projects/project-facts.js';
import { notice, type Job, type JobContext, type Results } from '../types.js';
import { noteIgnored, openDesk, type Desk } from './desk.js';
import { comparisonAgainst, comparisonsOf } from './questions.js';
import { ratingReport } from './report.js';
import { importResult, writeTask } from './task-files.js';
import { writeRatingPassages } from './write.js';

interface RateSettings {
  readonly project: string;
  readonly task: RatingTask;
  /** Unset: the previous version if there is one. */
  readonly against?: PairAgainst | undefined;
  readonly passages: number;
  /** File for a task for others, instead of asking. */
  readonly export?: string | undefined;
  readonly language: Language;
  /** File with answers to add, instead of asking. */
  readonly import?: string | undefined;
}

export const rateJob: Job<RateSettings> = async (settings, context) => {
  const { project: folder, task, against, passages } = settings;
  noteIgnored(folder, context.emit);
  if (settings.import !== undefined) return { project: folder, ...importResult(folder, readText(settings.import)) };
  const queue = { task, against: task === 'pair' ? comparisonNamed(folder, against) : null };
  await writeRatingPassages({ folder, ...queue, passages }, context, () => undefined);
  if (settings.export !== undefined) {
    const { task_id, questions } = writeTask(folder, queue, { file: settings.export, language: settings.language });
    return { project: folder, ...queue, exported: settings.export, task_id, questions: questions.length };
  }
  const desk = openDesk(folder, { ...queue, rater: ownRater }, () => context.now());
  const before = desk.view(0).rated;
  await askAll(desk, context);
  const { rated, left, comparison } = desk.view(0);
  const results = { project: folder, ...queue, rated: rated - before, waiting: left };
  if (task === 'boundary') return { ...results, judges: ratingReport(folder, () => context.now()).boundary };
  const { first, second } = comparisonAgainst(folder, queue.against) ?? {};
  return { ...results, comparison, ...(first && second ? { first, second } : {}), ...nextOf(folder) };
};

/** @throws UserError `bad_input` if the project has no such comparison */
function comparisonNamed(folder: string, wanted: PairAgainst | undefined): PairAgainst | null {
  const existing = comparisonsOf(folder).map(({ against }) => against);
  if (wanted === undefined || existing.length === 0) return existing[0] ?? null;
  if (existing.includes(wanted)) return wanted;
  throw new UserError({
    code: 'bad_input',
    message: localized('rating.faults.no_comparison', { against: wanted }),
    hint: localized('rating.faults.compare_with', { existing: existing.join(', ') }),
    field: 'against',
  });
}

/** Returns what a project with `stop_when: people` does next. */
function nextOf(folder: string): Results {
  const facts = projectFacts(folder);
  if (facts.kind !== 'whole' || facts.project.config.stop_when !== 'people') return {};
  return { next: facts.awaits ? 'waits' : facts.ended ? 'ended' : 'another_cycle' };
}

const pairKeys: Readonly<Record<string, Answer>> = { 1: 'first', 2: 'second', 0: 'tie', 9: 'both_bad' };

/** Formats a question's passage; every fifth word of a boundary task has its number. */
const textOf = (question: BlindQuestion): string =>
  question.task === 'pair'
    ? `…${question.prompt}\n\n1 ⟦${question.first}⟧\n\n2 ⟦${question.second}⟧`
    : question.words.map((word, at) => ((at + 1) % 5 === 1 ? `[${at + 1}] ${word}` : word)).join('');

/** Converts what the user typed; undefined if it is no answer. */
function answerOf(question: BlindQuestion, typed: string): Answer | undefined {
  if (question.task === 'pair') return pairKeys[typed];
  if (typed === 'n') return never;
  const at = /^\d+$/.test(typed) ? Number(typed) : 0;
  return at >= 1 && at <= question.words.length ? at : undefined;
}

/** Asks until everything is rated or the user ends. */
async function askAll(desk: Desk, context: JobContext): Promise<void> {
  const skipped = new Set<string>();
  for (;;) {
    const { waiting, left, rated } = desk.view(skipped.size + 1);
    const question = waiting.find(({ id }) => !skipped.has(id));
    if (!question) return;
    const shownAt = context.now();
    const answer = await answerTo(question, { number: rated + 1, total: rated + left }, context);
    if (answer === 'quit') return;
    if (answer === 'back') {
      desk.undo();
      skipped.clear();
    } else if (answer === 'skip') skipped.add(question.id);
    else {
      desk.vote(question.id, answer, (context.now() - shownAt) / 1000);
      noteDecision(desk, context);
    }
  }
}

/** Reports the decision once, after the vote that makes it. */
function noteDecision(desk: Desk, context: JobContext): void {
  const { comparison } = desk.view(0);
  if (!comparison || comparison.decided === null || comparison.decided_at !== votesIn(comparison)) return;
  context.emit(notice('rating_decided', localized('rating.known')));
}

async function answerTo(
  question: BlindQuestion,
  place: { readonly number: number; readonly total: number },
  context: JobContext,
): Promise<Answer | 'skip' | 'back' | 'quit'> {
  const { task } = question;
  let line = localized('rating.ask', { ...place, task, text: textOf(question) });
  for (;;) {
    const reply = context.stop.requested ? null : await context.ask?.(line);
    const typed = reply?.trim().toLowerCase();
    if (typed === undefined || typed === 'q' || typed === 'quit') return 'quit';
    if (typed === '') return 'skip';
    if (typed === 'b' || typed === 'back') return 'back';
    const found = answerOf(question, typed);
    if (found !== undefined) return found;
    line = localized('rating.ask_again', { task });
  }
}
