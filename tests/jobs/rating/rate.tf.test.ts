// Rating at the terminal, blind. Two untrained models are enough.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import type { Message } from '../../../shared/messages/message.js';
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

  it('writes the same passages again if they are lost, and keeps every vote when more are wanted', async () => {
    const absent = () => person(() => null).context;
    const place = join(ratings, 'pairs');
    const before = sources.map((source) => readPassages(place, source));
    for (const source of sources) writeFileSync(join(place, `${source}.json`), '{"format_version":1');
    await rateJob(settings, absent());
    expect(sources.map((source) => readPassages(place, source))).toEqual(before);
    await rateJob({ ...settings, passages: 7 }, absent());
    expect(sources.map((source) => readPassages(place, source).length)).toEqual([7, 7]);
    expect(readPairVotes(ratings)).toHaveLength(3);
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

  it('asks for a boundary by its number, and reports how exact the answers are', async () => {
    const asks = person((_, number) => ['x', '3', 'n', null][number] ?? null);
    const results = await rateJob({ ...settings, task: 'boundary', passages: 4 }, asks.context);
    expect(results).toMatchObject({ rated: 2, judges: [{ rater: 'people', answers: 2 }] });
    expect(asks.questions[1]).toBe('a number, n, b, Enter or q? ');
  });
});
