/**
 * Serves one rater's queue: what to ask next, answers, and undo. Everything is read from the project's files each time, and
 * an answer is on the disk when `vote` returns, so a crash loses nothing and the same answer sent twice is one vote.
 * Needs no TensorFlow: `write.ts` has the passages written beforehand.
 */
import type { RatingsView } from '../../../shared/contract/ratings.js';
import { UserError } from '../../../shared/errors.js';
import type { Comparison } from '../../../shared/judging.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { answerSchemas, never, type Answer } from '../../../shared/rating.js';
import { compare } from '../../engine/judging/comparison.js';
import { otherSide, votesBetween } from '../../engine/judging/votes.js';
import { openProject } from '../../storage/projects/project-folder.js';
import {
  addVotes,
  questionOf,
  readPairVotes,
  readVotes,
  voteName,
  type StoredVote,
  type VoteLog,
} from '../../storage/projects/rating-votes.js';
import { ratingKey } from '../../storage/projects/ratings.js';
import { notice, type JobContext } from '../types.js';
import {
  blindOf,
  comparisonAgainst,
  comparisonsOf,
  mixed,
  passageCounts,
  questionsOf,
  shownFirst,
  type Question,
  type Queue,
} from './questions.js';

/** Reports answers of earlier versions that no longer count. */
export function noteIgnored(folder: string, emit: JobContext['emit']): void {
  const { ignored } = readVotes(openProject(folder).paths.ratings);
  if (ignored > 0) emit(notice('rating_ignored', localized('rating.ignored', { answers: ignored })));
}

export interface Desk {
  /** @param ahead how many waiting questions to return; undone ones come first */
  view(ahead?: number): RatingsView;
  /**
   * Saves an answer.
   * @param id of a waiting question
   * @param seconds from its appearance to the answer
   * @throws UserError `bad_input` for a question that is not waiting or an answer that does not fit; `disk_full`,
   * `file_not_writable`
   */
  vote(id: string, answer: Answer, seconds: number): void;
  /** Undoes the last vote, if there is one: its question waits again. */
  undo(): void;
}

/** Questions to send ahead, so that the next is there at once and some can be skipped. */
const AHEAD = 40;
/** Longer times are absences. */
const MAX_SECONDS = 3600;

/** @param folder the project's. @throws UserError if it is none */
export function openDesk(folder: string, queue: Queue & { readonly rater: string }, now: () => number): Desk {
  const { paths } = openProject(folder);
  const { rater, task, against } = queue;
  const at = () => new Date(now()).toISOString();

  function read() {
    const questions = questionsOf(folder, queue);
    const key = questions.length === 0 ? '' : ratingKey(paths.ratings);
    const log = readVotes(paths.ratings);
    const own = log.votes.filter((vote) => vote.rater === rater);
    const voted = new Map(own.map((vote) => [questionOf(vote), vote]));
    return { questions, key, log, voted };
  }

  return {
    view(ahead = AHEAD) {
      const { questions, key, log, voted } = read();
      const waiting = inOrder(questions, log, voted, rater);
      return {
        task,
        against,
        comparisons: comparisonsOf(folder),
        waiting: waiting
          .slice(0, ahead)
          .map((question) => blindOf(question, mixed(key, question.id), shownFirst(key, question, rater))),
        left: waiting.length,
        rated: questions.filter(({ id }) => voted.has(id)).length,
        ...passageCounts(folder, queue),
        comparison: comparisonSoFar(folder, queue),
        ignored: log.ignored,
      };
    },
    vote(id, answer, seconds) {
      const { questions, key, log, voted } = read();
      const question = questions.find((one) => mixed(key, one.id) === id);
      if (!question) throw notWaiting();
      const undone = log.undone.filter((vote) => vote.rater === rater && questionOf(vote) === question.id);
      // Who answers again has read before.
      const total = undone.reduce((sum, vote) => sum + vote.seconds, seconds);
      const vote = voteOn(question, answer, shownFirst(key, question, rater), {
        vote: voteName(task, question.id, rater, undone.length),
        rater,
        seconds: Math.min(MAX_SECONDS, Math.max(0, Math.round(total * 100) / 100)),
        at: at(),
      });
      const previous = voted.get(question.id);
      if (!previous) addVotes(paths.ratings, [vote]);
      // The same answer again: the reply to the first was lost.
      else if (answerIn(previous) !== answerIn(vote)) throw notWaiting();
    },
    undo() {
      const { voted, questions } = read();
      const ids = new Set(questions.map(({ id }) => id));
      const last = [...voted.values()].findLast((vote) => ids.has(questionOf(vote)));
      if (last) addVotes(paths.ratings, [{ undo: last.vote, at: at() }]);
    },
  };
}

/** Compares the newest generator with the other side of the queue, by everyone's votes; null except for pairs. */
export function comparisonSoFar(folder: string, { task, against }: Queue): Comparison | null {
  const found = task === 'pair' ? comparisonAgainst(folder, against) : undefined;
  if (!found) return null;
  return compare(votesBetween(readPairVotes(openProject(folder).paths.ratings), found.first, found.second));
}

/** Orders waiting questions: the last undone first; a repeat only after its original was answered. */
function inOrder(
  questions: readonly Question[],
  { undone }: VoteLog,
  voted: ReadonlyMap<string, StoredVote>,
  rater: string,
): readonly Question[] {
  const undoneAt = new Map(
    undone.flatMap((vote, at) => (vote.rater === rater ? [[questionOf(vote), at] as const] : [])),
  );
  return questions
    .filter(({ id, repeat_of }) => !voted.has(id) && (repeat_of === undefined || voted.has(repeat_of)))
    .toSorted((a, b) => (undoneAt.get(b.id) ?? -1) - (undoneAt.get(a.id) ?? -1));
}

/** Converts an answer about sides into a vote about sources. @throws UserError `bad_input` */
export function voteOn(
  question: Question,
  answer: Answer,
  shown: 'first' | 'second',
  common: Pick<StoredVote, 'vote' | 'rater' | 'seconds' | 'at' | 'from'>,
): StoredVote {
  const repeat = question.repeat_of === undefined ? {} : { repeat_of: question.repeat_of };
  if (question.task === 'pair') {
    const { id: pair, first, second, task } = question;
    const { data: given } = answerSchemas.pair.safeParse(answer);
    if (given === undefined) throw noAnswer();
    const outcome = shown === 'second' && (given === 'first' || given === 'second') ? otherSide[given] : given;
    return { ...common, task, pair, first, second, outcome, shown_first: shown, ...repeat };
  }
  const { id: passage, source, truth, task, words } = question;
  const { data: given } = answerSchemas.boundary.safeParse(answer);
  if (given === undefined || (given !== never && given > words.length)) throw noAnswer();
  return {
    ...common,
    task,
    passage,
    source,
    said: given === never ? null : given,
    truth,
    words: words.length,
    ...repeat,
  };
}

const answerIn = (vote: StoredVote) => (vote.task === 'pair' ? vote.outcome : vote.said);

const notWaiting = () => refused(localized('rating.faults.not_waiting'), localized('rating.faults.rate_next'));
const noAnswer = () => refused(localized('rating.faults.no_answer'), localized('rating.faults.choose_answer'));
const refused = (message: Message, hint: Message) => new UserError({ code: 'bad_input', message, hint });
