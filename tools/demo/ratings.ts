/** The demonstration's blind test: passages of a text and of two models, some of them rated already. */
import type { RatingsView } from '../../shared/contract/ratings.js';
import type { Answer, BlindQuestion, PairAgainst, RatingTask } from '../../shared/rating.js';
import { stopped } from '../../shared/errors.js';
import { wordsOf } from '../../shared/base/words-of.js';
import { ratingReportFormats, type JudgingReport } from '../../shared/judging-report.js';
import { compare } from '../../main/engine/judging/comparison.js';
import { judgingReport } from '../../main/engine/judging/report.js';
import type { BoundaryVote, PairVote } from '../../main/engine/judging/votes.js';
import { naturalPiece, writtenAfter } from './text.js';
import { DemoFault, type DemoHandlers } from './transport.js';

type RatingHandlers = Pick<DemoHandlers, Extract<keyof DemoHandlers, `ratings.${string}`>>;
type Place = { readonly id: string; readonly task: RatingTask; readonly against: PairAgainst | null };

const sources = ['natural', 'base_model_v1', 'base_model_v2'];
/** Answered and waiting questions of each task. */
const RATED = 48;
const WAITING = 12;

const skill = (source: string) => (source.endsWith('1') ? 0.75 : 0.93);
const writing = (source: string, prompt: string, at: number, length = 200) =>
  source === 'natural' ? naturalPiece(at + 100, length) : writtenAfter(prompt, length, at, skill(source));

function question(task: RatingTask, at: number): BlindQuestion {
  const prompt = naturalPiece(at, 60);
  const id = `${task}-${at}`;
  switch (task) {
    case 'pair': {
      const [first = '', second = ''] = sources.slice(1).map((source, side) => writing(source, prompt, at + side));
      return at % 2 === 0 ? { task, id, prompt, first, second } : { task, id, prompt, first: second, second: first };
    }
    case 'boundary': {
      const natural = naturalPiece(at + 40, 160);
      return { task, id, words: wordsOf(natural + writing('base_model_v1', natural, at, 160)) };
    }
  }
}

/** Simulates votes of a rater who prefers the second model most of the time. */
const votes: readonly PairVote[] = Array.from({ length: RATED }, (_, at) => ({
  pair: `p${at}`,
  first: 'base_model_v2',
  second: 'base_model_v1',
  outcome: at % 9 === 4 ? 'tie' : at % 13 === 6 ? 'both_bad' : at % 5 === 2 || at % 7 === 3 ? 'second' : 'first',
  rater: at % 6 === 5 ? 'Ana' : 'you',
  seconds: 6 + ((at * 7) % 9),
  shown_first: (at * 5) % 3 === 0 ? 'first' : 'second',
  ...(at % 12 === 11 ? { repeat_of: `p${at - 5}` } : {}),
}));

const boundaryVotes: readonly BoundaryVote[] = Array.from({ length: 30 }, (_, at) => ({
  passage: `b${at}`,
  source: at % 5 === 0 ? 'natural' : 'base_model_v2',
  said: at % 5 === 0 ? null : 8 + ((at * 11) % 30),
  truth: at % 5 === 0 ? null : 6 + ((at * 7) % 28),
  words: 48,
  rater: 'you',
  seconds: 14,
}));

function results(): JudgingReport {
  const writingOf = (version: string, reward: number | null, copied_share: number, distinct_2: number) => ({
    ...{ version, reward, copied_share, distinct_2 },
  });
  const report = judgingReport({
    project: 'demo',
    made_at: '2026-11-21T10:00:00.000Z',
    verisim: '1.0.0',
    versions: sources,
    votes,
    boundary: boundaryVotes,
    ignored: 0,
    writing: [
      writingOf('natural', null, 0.013, 0.82),
      writingOf('base_model_v1', 0.34, 0.021, 0.71),
      writingOf('base_model_v2', 0.58, 0.064, 0.63),
    ],
    reward_change: null,
  });
  // As after some hundreds of votes.
  const alarm = 'people_see_no_difference';
  return { ...report, alarm: { alarm, newest: 'base_model_v2', previous: 'base_model_v1' } };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param hasPassages whether passages are written already */
export function createDemoRatings(hasPassages: (project: string) => boolean): RatingHandlers {
  const answered = new Map<string, { readonly question: BlindQuestion; readonly answer: Answer }>();
  const undone: string[] = [];
  const written = new Set<string>();
  const mine = (task: RatingTask) => [...answered.values()].filter((one) => one.question.task === task);
  const view = ({ id, task, against }: Place): RatingsView => {
    const isThere = hasPassages(id) || written.has(id);
    const all = isThere ? Array.from({ length: WAITING }, (_, at) => question(task, at)) : [];
    const waiting = all
      .filter((one) => !answered.has(one.id))
      .sort((a, b) => undone.lastIndexOf(b.id) - undone.lastIndexOf(a.id));
    return {
      ...{ task, against: task === 'pair' ? (against ?? 'previous') : null },
      comparisons: [
        { against: 'previous', first: 'base_model_v2', second: 'base_model_v1' },
        { against: 'text', first: 'base_model_v2', second: 'natural' },
      ],
      ...{ waiting, left: waiting.length },
      rated: isThere ? mine(task).length + RATED : 0,
      passages: isThere ? 20 : 0,
      missing: false,
      comparison: task === 'pair' && isThere ? compare(votes) : null,
      ignored: 0,
    };
  };
  return {
    'ratings.get': (place) => view(place),
    'ratings.write': async ({ passages, ...place }, call) => {
      for (let done = 0; done <= 3; done++) {
        call.progress({ done, total: 3 });
        await pause(200);
        // This many are never finished, until the user cancels.
        while (passages > 50 && !call.cancelled()) await pause(50);
        if (call.cancelled()) throw new DemoFault(stopped);
      }
      written.add(place.id);
      return view(place);
    },
    'ratings.vote': ({ question: id, answer, ...place }) => {
      const question = view(place).waiting.find((one) => one.id === id);
      if (question) answered.set(id, { question, answer });
      return view(place);
    },
    'ratings.undo': (place) => {
      const id = mine(place.task).at(-1)?.question.id;
      if (id !== undefined && answered.delete(id)) undone.push(id);
      return view(place);
    },
    'ratings.results': () => results(),
    'ratings.export': ({ file }) => ({ file: { handle: file, name: 'rating-task.html', kind: 'file', size: 24_000 } }),
    'ratings.saveReport': ({ format }) => ({
      file: { handle: 'file_saved', name: ratingReportFormats[format], kind: 'file', size: 0 },
      judgements: 41,
    }),
    'ratings.import': () => ({ rater: 'Ana (3f2a)', added: 12, changed: 1 }),
  };
}
