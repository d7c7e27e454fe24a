// Rating at the terminal, blind. Two untrained models are enough.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import { openDesk } from '../../../main/jobs/rating/desk.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { inEnglish } from '../../support/messages.js';
import { rateJob } from '../../../main/jobs/rating/rate.js';
import { readPairVotes } from '../../../main/storage/projects/rating-votes.js';
import { passageRule, readPassages, writePassages } from '../../../main/storage/projects/ratings.js';
import { usualReading, type ReadingConfig } from '../../../shared/config/generation.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { addUntrainedModels, fixRatingKey } from '../../support/untrained-project.js';
import { projectRequest, temporaryFolder, testContext, untrained } from '../context.js';

const home = temporaryFolder();
const folder = join(home, 'book');
const settings = { project: folder, task: 'pair', passages: 6, device: 'cpu', threads: 1, language: 'en' } as const;
const text = writeText(home);
const ratings = join(folder, 'ratings');
const open = () => openDesk(folder, { task: 'pair', against: 'previous', rater: 'you' }, Date.now);
const sources = ['base_model_v1', 'base_model_v2'];

/** A person who answers what `answer` returns. */
function person(answer: (question: string, number: number) => string | null) {
  const questions: string[] = [];
  const { context, events } = testContext();
  return {
    questions,
    events,
    context: {
      ...context,
      ask: (question: Message) => Promise.resolve(answer(inEnglish(question), questions.push(inEnglish(question)) - 1)),
    },
  };
}
const passagesIn = (question: string): readonly string[] =>
  [...question.matchAll(/⟦([^⟧]*)⟧/g)].map(([, passage = '']) => passage);

beforeAll(async () => {
  const given = { ...untrained, data_path: text, block_size: 16 };
  await newProjectJob(projectRequest(folder, given), testContext().context);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('rating', () => {
  it('needs a model that has written something', async () => {
    expect(await faultOfAsync(rateJob(settings, person(() => null).context))).toMatchObject({
      code: 'checkpoint',
      field: 'project',
    });
    addUntrainedModels(folder, sources);
    fixRatingKey(ratings);
  });

  it('shows passages of each model without naming it, and stores the answers', async () => {
    const natural = readFileSync(text, 'utf8');
    // The second pair is skipped; after four it is enough.
    const asks = person((_, number) => (number === 1 ? '' : number === 4 ? 'q' : '1'));
    const results = await rateJob(settings, asks.context);
    expect(results).toMatchObject({ rated: 3, first: 'base_model_v2', second: 'base_model_v1' });
    expect(results).toMatchObject({ comparison: { ties: 0, both_bad: 0 } });
    expect(asks.questions[0]).toMatch(/^\nPassage 1 of \d+\n/);
    expect(asks.questions.join('')).not.toMatch(/base_model/);
    expect(readdirSync(join(ratings, 'pairs')).sort()).toEqual(sources.map((source) => `${source}.json`));
    expect(readPairVotes(ratings)).toHaveLength(3);
    const all = sources.flatMap((source) => readPassages(join(ratings, 'pairs'), source));
    expect(new Set(all.map((passage) => passage.text.length)).size).toBe(1);
    expect(all.every(({ prompt }) => natural.includes(prompt))).toBe(true);
  });

  it('continues with what is not rated yet, in the same order', async () => {
    const before = open().view(Infinity).waiting;
    const asks = person((_, number) => (number === 0 ? 'what?' : number === 2 ? null : '0'));
    const { waiting } = await rateJob(settings, asks.context);
    expect(asks.questions[1]).toBe('1, 2, 0, 9, b, Enter or q? ');
    const [shown] = before;
    expect(passagesIn(asks.questions[0] ?? '')).toEqual(shown?.task === 'pair' ? [shown.first, shown.second] : []);
    const left = open().view(Infinity).waiting;
    expect(left).toHaveLength(Number(waiting));
    expect(left.filter(({ id }) => before.some((one) => one.id === id))).toEqual(before.slice(1));
  });

  it('writes the same passages again if they are lost, and keeps every vote when more are wanted', async () => {
    const absent = () => person(() => null).context;
    const place = join(ratings, 'pairs');
    const before = sources.map((source) => readPassages(place, source));
    for (const source of sources) writeFileSync(join(place, `${source}.json`), '{"format_version":1');
    await rateJob(settings, absent());
    expect(sources.map((source) => readPassages(place, source))).toEqual(before);
    await rateJob({ ...settings, passages: 7 }, absent());
    expect(sources.map((source) => readPassages(place, source).length)).toEqual([7, 7]);
    expect(readPairVotes(ratings)).toHaveLength(4);
  });

  it('draws by one rule: the earlier one where people have judged its passages, else anew', async () => {
    const [place, first] = [join(ratings, 'pairs'), 'base_model_v1'];
    const rewrite = (drawn?: ReadingConfig) => {
      for (const source of sources) writePassages(place, source, readPassages(place, source).slice(0, 6), drawn);
    };
    const drawn = passageRule(place);
    expect(drawn).toEqual(usualReading);
    const seven = readPassages(place, first);
    rewrite();
    await rateJob({ ...settings, passages: 7 }, person(() => null).context);
    expect(passageRule(place)).toEqual({ ...usualReading, top_p: 1 });
    expect(readPassages(place, first).slice(0, 6)).toEqual(seven.slice(0, 6));
    const votes = readFileSync(join(ratings, 'ratings.jsonl'));
    rewrite({ ...usualReading, top_p: 0.5 });
    writeFileSync(join(ratings, 'ratings.jsonl'), '');
    await rateJob({ ...settings, passages: 7 }, person(() => null).context);
    writeFileSync(join(ratings, 'ratings.jsonl'), votes);
    expect(passageRule(place)).toEqual(drawn);
    expect(readPassages(place, first)).toEqual(seven);
  });

  it('goes back to earlier answers, also of another session', async () => {
    const before = readPairVotes(ratings);
    const asks = person((_, number) => ['b', '2', '9', 'back', null][number] ?? null);
    expect(await rateJob({ ...settings, passages: 7 }, asks.context)).toMatchObject({ rated: 0 });
    const votes = readPairVotes(ratings);
    expect(votes.map(({ pair }) => pair)).toEqual(before.map(({ pair }) => pair));
    expect([before.at(-1)?.outcome, votes.at(-1)?.outcome]).toEqual(['tie', expect.stringMatching(/first|second/)]);
  });

  it('asks for a boundary by its number, and reports how exact the answers are', async () => {
    const asks = person((_, number) => ['x', '3', 'n', null][number] ?? null);
    const results = await rateJob({ ...settings, task: 'boundary', passages: 4 }, asks.context);
    expect(results).toMatchObject({ rated: 2, judges: [{ rater: 'people', answers: 2 }] });
    expect(asks.questions[1]).toBe('a number, n, b, Enter or q? ');
  });

  it('reports how many answers of an earlier version it ignores', async () => {
    const earlier = { passage: 'abc', source: 'natural', verdict: 'natural', at: '2026-11-20T00:00:00.000Z' };
    const log = join(ratings, 'ratings.jsonl');
    writeFileSync(log, `${JSON.stringify(earlier)}\n${readFileSync(log, 'utf8')}`);
    const asks = person(() => null);
    await rateJob({ ...settings, passages: 7 }, asks.context);
    expect(asks.events).toContainEqual(
      expect.objectContaining({
        code: 'rating_ignored',
        message: localized('rating.ignored', { answers: 1 }),
      }),
    );
    expect(readPairVotes(ratings)).toHaveLength(4);
  });
});
