/**
 * Where one person rates one kind of question of a project: what waits, what was said, what is taken back. Whose passages
 * they are is told only in reports. Everything is read from the project's files each time, and an answer is on the disk
 * when `vote` returns, so that whatever ends the program loses nothing; the same answer sent twice is one vote.
 * Needs no TensorFlow: the job `rate` has written the passages.
 */
import type { EarlierVote } from '../../../shared/contract/ratings.js';
import { answerSchemas, type Answer, type BlindQuestion } from '../../../shared/rating.js';
import { AnswersRefused } from '../../../shared/rating-task.js';
import { UserError } from '../../../shared/errors.js';
import { otherSide } from '../../engine/judging/votes.js';
import { openProject } from '../../storage/projects/project-folder.js';
import {
  addVotes,
  boundaryAt,
  questionOf,
  readVotes,
  voteName,
  type StoredVote,
  type VoteLog,
} from '../../storage/projects/rating-votes.js';
import { ratingKey } from '../../storage/projects/ratings.js';
import { blindOf, mixed, promptId, questionsOf, shownFirst, type Asked, type Question } from './questions.js';

export interface Desk {
  /** How many of these questions are answered. */
  rated(): number;
  /**
   * That, and what is not answered yet, in the order in which it comes; what was taken back last comes first.
   * @param ahead how many of those are wanted; `left` counts all
   */
  now(ahead: number): { readonly waiting: readonly BlindQuestion[]; readonly left: number; readonly rated: number };
  /**
   * Keeps an answer. It is on the disk when this returns.
   * @param id of a question that waits
   * @param seconds from its appearance to the answer
   * @returns the vote's name
   * @throws UserError `bad_input` for a question that does not wait or an answer that is none of it; `disk_full`,
   * `file_not_writable`
   */
  vote(id: string, answer: Answer, seconds: number): string;
  /** Takes one back, the last one where none is named: it waits again. Nothing happens where there is none. */
  undo(vote: string | null): void;
  /** What was said of these questions, the last one last. */
  history(): readonly EarlierVote[];
}

/** Nobody looks longer at one passage; who does has gone away. */
const MAX_SECONDS = 3600;

/** @param folder the project's. @throws UserError when it is none */
export function openDesk(folder: string, asked: Asked & { readonly rater: string }, now: () => number): Desk {
  const { paths } = openProject(folder);
  const { rater } = asked;
  const at = () => new Date(now()).toISOString();

  function read() {
    const questions = questionsOf(folder, asked);
    const key = questions.length === 0 ? '' : ratingKey(paths.ratings);
    const log = readVotes(paths.ratings);
    const own = log.votes.filter((vote) => vote.rater === rater);
    const said = new Map(own.map((vote) => [questionOf(vote), vote]));
    return { questions, key, log, said };
  }
  const blind = (question: Question, key: string) =>
    blindOf(question, mixed(key, question.id), shownFirst(key, question, rater));

  return {
    rated: () => countOf(read()),
    now(ahead) {
      const found = read();
      const { questions, key, log, said } = found;
      const waiting = inOrder(questions, log, said, rater);
      const shown = waiting.slice(0, ahead).map((question) => blind(question, key));
      return { waiting: shown, left: waiting.length, rated: countOf(found) };
    },
    vote(id, answer, seconds) {
      const { questions, key, log, said } = read();
      const question = questions.find((one) => mixed(key, one.id) === id);
      if (!question) throw notWaiting();
      const shown = shownFirst(key, question, rater);
      const before = said.get(question.id);
      if (before) {
        // Sent again by someone who did not hear that it was kept.
        if (answerOf(before, shown) === answer) return before.vote;
        throw notWaiting();
      }
      const times = log.undone.filter((vote) => vote.rater === rater && questionOf(vote) === question.id).length;
      const vote = voteOn(question, answer, shown, {
        vote: voteName(question.task, question.id, rater, times),
        rater,
        seconds: Math.min(MAX_SECONDS, Math.max(0, Math.round(seconds * 100) / 100)),
        at: at(),
      });
      addVotes(paths.ratings, [vote]);
      return vote.vote;
    },
    undo(name) {
      const { said, questions } = read();
      const asking = new Set(questions.map(({ id }) => id));
      const votes = [...said.values()].filter((vote) => asking.has(questionOf(vote)));
      const found = name === null ? votes.at(-1) : votes.find(({ vote }) => vote === name);
      if (found) addVotes(paths.ratings, [{ undo: found.vote, at: at() }]);
    },
    history() {
      const { questions, key, said } = read();
      const known = new Map(questions.map((question) => [question.id, question]));
      return [...said.values()].flatMap((vote) => {
        const question = known.get(questionOf(vote));
        if (!question) return [];
        const answer = answerOf(vote, shownFirst(key, question, rater));
        return [{ vote: vote.vote, question: blind(question, key), answer, at: vote.at }];
      });
    },
  };
}

const countOf = ({
  questions,
  said,
}: {
  readonly questions: readonly Question[];
  readonly said: ReadonlyMap<string, StoredVote>;
}): number => questions.filter(({ id }) => said.has(id)).length;

/** Those that wait: what was taken back first, the latest before all; a repeat only once its pair was answered. */
function inOrder(
  questions: readonly Question[],
  { undone }: VoteLog,
  said: ReadonlyMap<string, StoredVote>,
  rater: string,
): readonly Question[] {
  const takenBack = new Map<string, number>();
  undone.forEach((vote, at) => {
    if (vote.rater === rater) takenBack.set(questionOf(vote), at);
  });
  return questions
    .filter((question) => !said.has(question.id))
    .filter((question) => question.task === 'single' || !question.repeat_of || said.has(question.repeat_of))
    .toSorted((a, b) => (takenBack.get(b.id) ?? -1) - (takenBack.get(a.id) ?? -1));
}

/** A person's answer as it is kept: of the sources, not of the sides. @throws UserError `bad_input` */
export function voteOn(
  question: Question,
  given: Answer,
  shown: 'first' | 'second',
  common: Pick<StoredVote, 'vote' | 'rater' | 'seconds' | 'at' | 'from'>,
): StoredVote {
  switch (question.task) {
    case 'single': {
      const { id: passage, source, task } = question;
      return { ...common, task, passage, source, verdict: parsed('single', given) };
    }
    case 'pair': {
      const { id: pair, first, second, task, repeat_of, check } = question;
      const answer = parsed('pair', given);
      const turned = shown === 'second' && (answer === 'first' || answer === 'second') ? otherSide[answer] : answer;
      return {
        ...common,
        task,
        pair,
        first,
        second,
        outcome: turned,
        shown_first: shown,
        prompt: promptId(question.prompt),
        ...(repeat_of === undefined ? {} : { repeat_of }),
        ...(check === undefined ? {} : { check }),
      };
    }
    case 'boundary': {
      const { id: passage, source, truth, task, words, repeat_of } = question;
      const said = boundaryAt(parsed('boundary', given));
      if (said !== null && said > words.length) throw noAnswer();
      const again = repeat_of === undefined ? {} : { repeat_of };
      return { ...common, task, passage, source, said, truth, words: words.length, ...again };
    }
  }
}

/** What was said, in the person's own terms. */
function answerOf(vote: StoredVote, shown: 'first' | 'second'): Answer {
  switch (vote.task) {
    case 'single':
      return vote.verdict;
    case 'pair': {
      const { outcome } = vote;
      return shown === 'second' && (outcome === 'first' || outcome === 'second') ? otherSide[outcome] : outcome;
    }
    case 'boundary':
      return vote.said ?? 'never';
  }
}

function parsed<T extends keyof typeof answerSchemas>(task: T, answer: Answer) {
  const result = answerSchemas[task].safeParse(answer);
  if (!result.success) throw noAnswer();
  return result.data as ReturnType<(typeof answerSchemas)[T]['parse']>;
}

const notWaiting = () =>
  new UserError({
    code: 'bad_input',
    message: 'That passage is rated already, or was made anew.',
    hint: 'Rate the next one.',
  });

const noAnswer = () =>
  new AnswersRefused('no_answer', {
    message: 'That is no answer to this question.',
    hint: 'Choose one of the answers that are shown.',
  });
