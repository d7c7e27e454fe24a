// One rater's queue of a project: its questions and their order, what is stored, and that nothing reveals the author.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { never, type Answer, type BlindQuestion } from '../../../shared/rating.js';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import { openDesk, type Desk } from '../../../main/jobs/rating/desk.js';
import { comparisonsOf, questionsOf, type Queue } from '../../../main/jobs/rating/questions.js';
import { ratingReport } from '../../../main/jobs/rating/report.js';
import { writeRatingPassages } from '../../../main/jobs/rating/write.js';
import { readPairVotes, readVotes } from '../../../main/storage/projects/rating-votes.js';
import { readPassages } from '../../../main/storage/projects/ratings.js';
import { writeText } from '../../cli/program.js';
import { addUntrainedModels } from '../../support/untrained-project.js';
import { projectRequest, temporaryFolder, testContext, untrained } from '../context.js';

/** As many as two batches of writing and a part. */
const PAIRS = 20;
const home = temporaryFolder();
const folder = join(home, 'book');
const ratings = join(folder, 'ratings');
const text = writeText(home);
const previous: Queue = { task: 'pair', against: 'previous' };
const boundary: Queue = { task: 'boundary', against: null };
const open = (queue: Queue, rater = 'you') => openDesk(folder, { ...queue, rater }, () => 1e12);
const write = (queue: Queue, passages: number) =>
  writeRatingPassages({ folder, ...queue, passages }, testContext().context, () => undefined);
const pairOf = (question: BlindQuestion | undefined) => {
  if (question?.task !== 'pair') throw new Error('no pair');
  return question;
};

beforeAll(async () => {
  await newProjectJob(projectRequest(folder, { ...untrained, data_path: text }), testContext().context);
  addUntrainedModels(folder, ['base_model_v1', 'base_model_v2', 'base_model_v3']);
  await write(previous, PAIRS);
  await write(boundary, 12);
  // Which passages come again follows from the key: one with which some of these few do.
  const comesAgain = (digit: string) => {
    writeFileSync(join(ratings, 'key.json'), JSON.stringify({ key: digit.repeat(64) }));
    return questionsOf(folder, boundary).length > 15;
  };
  expect([...'0123456789abcdef'].some(comesAgain)).toBe(true);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => rmSync(join(ratings, 'ratings.jsonl'), { force: true }));

/** Answers as `say` does until nothing waits, and returns the questions. */
function answerAll(desk: Desk, say: (question: BlindQuestion, number: number) => Answer): readonly BlindQuestion[] {
  const answered: BlindQuestion[] = [];
  for (let [question] = desk.view(Infinity).waiting; question; [question] = desk.view(Infinity).waiting) {
    answered.push(question);
    desk.vote(question.id, say(question, answered.length), 3);
  }
  return answered;
}

describe('passages', () => {
  it('of pairs share their held-out prompts and continue differently', () => {
    const natural = readFileSync(text, 'utf8');
    const of = (source: string) => readPassages(join(ratings, 'pairs'), source);
    const [own, newest] = [of('base_model_v2'), of('base_model_v3')];
    expect(own).toHaveLength(PAIRS);
    for (const [at, { prompt, text: written }] of own.entries()) {
      expect(natural).toContain(prompt);
      expect(newest[at]?.prompt).toBe(prompt);
      expect(newest[at]?.text).toHaveLength(written.length);
      expect(newest[at]?.text).not.toBe(written);
    }
  });

  it('stay as they are when more are written, whatever was there', async () => {
    const all = readPassages(join(ratings, 'pairs'), 'base_model_v3');
    const folderOfOthers = join(ratings, 'pairs', 'base_model_v3.json');
    const kept = readFileSync(folderOfOthers);
    for (const count of [11, PAIRS]) {
      if (count < PAIRS) rmSync(folderOfOthers);
      await write(previous, count);
      expect(readPassages(join(ratings, 'pairs'), 'base_model_v3')).toEqual(all.slice(0, count));
    }
    expect(readFileSync(folderOfOthers)).toEqual(kept);
  });

  it('with a boundary are natural up to the word where they stop being so', () => {
    const natural = readFileSync(text, 'utf8');
    let ends = 0;
    for (const question of questionsOf(folder, boundary)) {
      if (question.task !== 'boundary') throw new Error('no boundary');
      const { words, truth, repeat_of } = question;
      if (repeat_of !== undefined) continue;
      const before = words.slice(0, truth === null ? undefined : truth - 1).join('');
      expect(natural).toContain(before);
      if (truth === null) expect(question.source).toBe('natural');
      else expect(truth).toBeLessThanOrEqual(words.length);
      ends += truth === null ? 1 : 0;
    }
    expect(ends).toBe(3);
  });
});

describe('pairs', () => {
  it('are of the newest model and what it is compared with, the version before it first', () => {
    expect(comparisonsOf(folder).map(({ against, second }) => [against, second])).toEqual([
      ['previous', 'base_model_v2'],
      ['base', 'base_model_v1'],
      ['text', 'natural'],
    ]);
  });

  it('are shown without their source: neither names, order nor sides can be worked out', () => {
    const waiting = open(previous).view(Infinity).waiting;
    const seen = JSON.stringify(waiting);
    expect(seen).not.toMatch(/base_model|natural|repeat/);
    // No name is a hash of what anybody can see; another rater sees other sides of the same pairs.
    const sources = new Map(questionsOf(folder, previous).map((question) => [question.id, question]));
    for (const { id } of waiting) expect(sources.has(id)).toBe(false);
    const others = new Map(
      open(previous, 'Ana')
        .view(Infinity)
        .waiting.map((question) => [question.id, pairOf(question)]),
    );
    const turned = waiting.filter(
      ({ id }) => others.get(id)?.first !== pairOf(waiting.find((one) => one.id === id)).first,
    );
    expect(turned.length).toBeGreaterThan(waiting.length / 8);
    expect(turned.length).toBeLessThan(waiting.length);
  });

  it('come again in part, sides swapped and not at once', () => {
    // Whoever always prefers the first as shown says each time another one of a pair that comes again.
    const answered = answerAll(open(previous), () => 'first').map(pairOf);
    const votes = readPairVotes(ratings);
    const repeats = votes.filter(({ repeat_of }) => repeat_of !== undefined);
    expect(votes).toHaveLength(answered.length);
    expect(votes.length - repeats.length).toBe(PAIRS);
    for (const repeat of repeats) {
      const at = votes.findIndex(({ pair }) => pair === repeat.repeat_of);
      const place = votes.indexOf(repeat);
      expect(place - at).toBeGreaterThanOrEqual(4);
      expect(answered[place]).toMatchObject({ first: answered[at]?.second, second: answered[at]?.first });
      expect(repeat.outcome).not.toBe(votes[at]?.outcome);
    }
    const { reliability, comparisons } = ratingReport(folder, Date.now);
    expect(reliability[0]?.chose_first.share).toBe(1);
    if (repeats.length > 0) expect(reliability[0]?.self_consistency.share).toBe(0);
    const { wins = 0, losses = 0 } = comparisons[0]?.comparison ?? {};
    expect(wins + losses).toBe(PAIRS);
  });

  it('are decided by a reader who knows', () => {
    const ofNewest = new Set(readPassages(join(ratings, 'pairs'), 'base_model_v3').map((passage) => passage.text));
    const knows = (question: BlindQuestion): Answer => {
      const { first, second } = pairOf(question);
      const isBetter = (one: string) => ofNewest.has(one);
      return isBetter(first) === isBetter(second) ? 'tie' : isBetter(first) ? 'first' : 'second';
    };
    answerAll(open(previous), knows);
    expect(open(previous).view()).toMatchObject({ left: 0, comparison: { decided: 'first', wins: PAIRS, losses: 0 } });
    const { reliability, versions } = ratingReport(folder, Date.now);
    expect(reliability[0]?.self_consistency.share ?? 1).toBe(1);
    expect(versions).toEqual(['natural', 'base_model_v1', 'base_model_v2', 'base_model_v3']);
  });
});

describe('boundaries', () => {
  it('are kept by word, from the first to the last, or as none at all', () => {
    const truths = new Map(questionsOf(folder, boundary).map((question) => [question.id, question]));
    const answered = answerAll(open(boundary), (question, number) => {
      if (question.task !== 'boundary') throw new Error('no boundary');
      return number % 3 === 0 ? never : number % 3 === 1 ? 1 : question.words.length;
    });
    const repeats = [...truths.values()].filter((question) => question.task === 'boundary' && question.repeat_of);
    expect(repeats.length).toBeGreaterThan(0);
    expect(answered).toHaveLength(15 + repeats.length);
    // A repeat comes after what it repeats, and is the same to the reader.
    for (const { id, repeat_of, words } of repeats.flatMap((one) => (one.task === 'boundary' ? [one] : []))) {
      const order = readVotes(ratings).votes.map((vote) => (vote.task === 'boundary' ? vote.passage : ''));
      expect(order.indexOf(id)).toBeGreaterThan(order.indexOf(repeat_of ?? ''));
      expect(truths.get(repeat_of ?? '')).toMatchObject({ words });
    }
    for (const vote of readVotes(ratings).votes) {
      if (vote.task !== 'boundary') throw new Error('no boundary');
      expect(truths.get(vote.passage)).toMatchObject({ truth: vote.truth, source: vote.source });
    }
    const [people] = ratingReport(folder, Date.now).boundary;
    expect(people).toMatchObject({ rater: 'people', answers: 15, again: { same: { of: repeats.length } } });
    expect(() => open(boundary).vote(answered[0]?.id ?? '', 9999, 1)).toThrow(/already rated|no answer/);
  });

  it('are found without a word of error by someone who knows', () => {
    const byWords = new Map(
      questionsOf(folder, boundary).map((question) =>
        question.task === 'boundary' ? [question.words.join(''), question.truth] : ['', null],
      ),
    );
    answerAll(open(boundary), (question) =>
      question.task === 'boundary' ? (byWords.get(question.words.join('')) ?? never) : never,
    );
    expect(ratingReport(folder, Date.now).boundary[0]).toMatchObject({ error: 0, exact: { share: 1 } });
  });
});

describe('undo', () => {
  it.each<Queue>([previous, boundary])(
    'takes back the last vote of $task, as often as wanted; it comes next',
    (queue) => {
      fc.assert(
        fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), (acts) => {
          rmSync(join(ratings, 'ratings.jsonl'), { force: true });
          const before = open(queue).view(Infinity).waiting;
          const answered: BlindQuestion[] = [];
          let lines = 0;
          for (const isVote of acts) {
            // A new desk each time, as after a crash.
            const desk = open(queue);
            const [next] = desk.view(Infinity).waiting;
            if (isVote && next) {
              desk.vote(next.id, queue.task === 'pair' ? 'tie' : never, 1);
              answered.push(next);
            } else desk.undo();
            if (isVote || answered.length > 0) lines++;
            if (!isVote && answered.length > 0) expect(open(queue).view(Infinity).waiting[0]).toEqual(answered.pop());
            const stored = lines === 0 ? '' : readFileSync(join(ratings, 'ratings.jsonl'), 'utf8');
            expect(stored.split('\n').length - 1).toBe(lines);
            expect(open(queue).view().rated).toBe(answered.length);
          }
          const { votes } = readVotes(ratings);
          expect(new Set(votes.map(({ vote }) => vote)).size).toBe(votes.length);
          while (open(queue).view().rated > 0) open(queue).undo();
          const ids = (questions: readonly BlindQuestion[]) => questions.map(({ id }) => id).toSorted();
          expect(ids(open(queue).view(Infinity).waiting)).toEqual(ids(before));
        }),
        { numRuns: 8 },
      );
    },
  );

  it('of one rater leaves the votes of others', () => {
    const answered = answerAll(open(boundary, 'Ana'), () => never);
    open(boundary).undo();
    expect(readVotes(ratings).votes).toHaveLength(answered.length);
    // Repeats wait until their original is answered.
    expect(open(boundary).view(Infinity).waiting).toHaveLength(15);
  });
});

it('takes no vote on what is not waiting, and the same one twice once', () => {
  const desk = open(previous);
  const [question] = desk.view().waiting;
  const id = question?.id ?? '';
  expect(() => desk.vote('nothing', 'tie', 1)).toThrow(/already rated/);
  expect(() => desk.vote(id, never, 1)).toThrow(/no answer/);
  desk.vote(id, 'first', 1);
  desk.vote(id, 'first', 1);
  expect(() => desk.vote(id, 'second', 1)).toThrow(/already rated/);
  expect(readVotes(ratings).votes).toHaveLength(1);
});

it('counts and ignores answers of an earlier version, which still opens', () => {
  const at = '2026-11-20T00:00:00.000Z';
  const common = { rater: 'you', seconds: 2, at };
  const check = { ...common, task: 'pair', vote: 'k', pair: 'k', first: 'natural', second: 'shuffled', prompt: 'p' };
  const rows = [
    { passage: 'abc', source: 'base_model_v1', verdict: 'natural', at },
    { ...common, vote: 'a', task: 'single', passage: 'def', source: 'natural', verdict: 'generated' },
    { ...common, vote: 'b', task: 'single', passage: 'ghi', source: 'natural', verdict: 'natural' },
    { undo: 'b', at },
    { ...check, outcome: 'first', shown_first: 'second', check: 'first' },
  ];
  writeFileSync(join(ratings, 'ratings.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect(open(previous).view()).toMatchObject({ ignored: 3, rated: 0, comparison: { e_value: 1 } });
  expect(ratingReport(folder, Date.now)).toMatchObject({ votes: { pairs: 0, ignored: 3 }, reliability: [] });
});
