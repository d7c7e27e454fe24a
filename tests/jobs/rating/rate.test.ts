// Rating blind: passages of the text and of each generator, mixed; what is said is kept with the project, and what it
// comes to is told at the end. Two models that have learned nothing are enough.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RatedSource } from '../../../shared/contract/ratings.js';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import { rateJob } from '../../../main/jobs/rating/rate.js';
import { openDesk } from '../../../main/jobs/rating/desk.js';
import { readVotes, type StoredVoteOf } from '../../../main/storage/projects/rating-votes.js';
import { readPassages } from '../../../main/storage/projects/ratings.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync, faultOf } from '../../storage/fault-of.js';
import { addUntrainedModels } from '../../support/untrained-project.js';
import { projectSettings, temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const folder = join(home, 'book');
const settings = { project: folder, task: 'single', passages: 6, device: 'cpu', threads: 1, language: 'en' } as const;
const text = writeText(home);
const ratings = join(folder, 'ratings');
const open = () => openDesk(folder, { task: 'single', against: null, rater: 'you' }, Date.now);
const readRatings = (place: string) => readVotes(place).votes as readonly StoredVoteOf<'single'>[];
const textsOf = (waiting: readonly object[]) => waiting.map((one) => (one as { readonly text: string }).text);
const sources = ['natural', 'base_model_v1', 'base_model_v2'];

/** A person who answers what `answer` says. */
function person(answer: (question: string, number: number) => string | null) {
  const asked: string[] = [];
  const { context } = testContext();
  return {
    asked,
    context: {
      ...context,
      ask: (question: string) => Promise.resolve(answer(question, asked.push(question) - 1)),
    },
  };
}
const passageIn = (question: string): string => /⟦([^⟧]*)⟧/.exec(question)?.[1] ?? '';

beforeAll(async () => {
  const { context } = testContext();
  const given = {
    ...{ data_path: text, tokenization: 'char', preset: 'none', threads: 1 },
    ...{ n_layer: 1, n_head: 1, n_embd: 8, block_size: 16, max_iters: 1 },
  };
  await newProjectJob({ folder, settings: projectSettings({ project: folder, ...given }), given }, context);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('rating', () => {
  it('needs a model that has written something', async () => {
    expect(await faultOfAsync(rateJob(settings, person(() => null).context))).toMatchObject({
      code: 'checkpoint',
      field: 'project',
    });
    addUntrainedModels(folder, sources.slice(1));
  });

  it('shows passages of the text and of each generator, without saying whose, and keeps what is said', async () => {
    const natural = readFileSync(text, 'utf8');
    // Someone who knows the text by heart; the second passage is left out, and after ten it is enough.
    const knows = person((question, number) =>
      number === 1 ? '' : number === 10 ? 'q' : natural.includes(passageIn(question)) ? 'n' : 'G',
    );
    const results = await rateJob(settings, knows.context);
    expect(results).toMatchObject({ rated: 9, waiting: 9, verdict: 'too_few', opinion: { model: null } });
    expect(knows.asked[0]).toMatch(/^\nPassage 1 of 18\n/);
    expect(knows.asked.join('')).not.toMatch(/base_model/);
    for (const { source, rated, taken_for_natural } of results['sources'] as readonly RatedSource[])
      expect(taken_for_natural).toBe(source === 'natural' ? rated : 0);
    expect(readdirSync(ratings).sort()).toEqual(
      [...sources.map((source) => `${source}.json`), 'key.json', 'ratings.jsonl'].sort(),
    );
    expect(readRatings(ratings)).toHaveLength(9);
    // Its beginnings are held-out text, each source's its own; what follows is of one length.
    const all = sources.flatMap((source) => readPassages(ratings, source) ?? []);
    expect(new Set(all.map((passage) => passage.text.length)).size).toBe(1);
    expect(all.every(({ prompt }) => natural.includes(prompt))).toBe(true);
  });

  it('goes on with what is not rated yet, the same passages in the same order', async () => {
    const before = open().now(Infinity).waiting;
    const asks = person((_, number) => (number === 0 ? 'what?' : number === 3 ? null : 'n'));
    expect(await rateJob(settings, asks.context)).toMatchObject({ rated: 2, waiting: 7 });
    expect(asks.asked[1]).toBe('n, g, b, Enter or q? ');
    expect(asks.asked.filter((question) => question.includes('⟦')).map(passageIn)).toEqual(textsOf(before.slice(0, 3)));
    expect(open().now(Infinity).waiting).toEqual(before.slice(2));
  });

  it('writes the same passages again where they are lost, and keeps every rating when more are asked for', async () => {
    const nobody = () => person(() => null).context;
    const before = sources.map((source) => readPassages(ratings, source));
    for (const source of sources) writeFileSync(join(ratings, `${source}.json`), '{"format_version":1');
    expect(await rateJob(settings, nobody())).toMatchObject({ rated: 0, waiting: 7 });
    expect(sources.map((source) => readPassages(ratings, source))).toEqual(before);
    await rateJob({ ...settings, passages: 7 }, nobody());
    expect(sources.map((source) => readPassages(ratings, source)?.length)).toEqual([7, 7, 7]);
    expect(readRatings(ratings)).toHaveLength(11);
  });

  it('goes back to what was said wrongly, also before this time, and takes it back', async () => {
    const waiting = open().now(Infinity).waiting;
    const before = readRatings(ratings);
    const asks = person((_, number) => ['b', 'n', 'n', 'b', 'g', '', 'back', 'n', null][number] ?? null);
    // The first `b` takes back what was said last time; it comes first, and is said again.
    expect(await rateJob({ ...settings, passages: 7 }, asks.context)).toMatchObject({ rated: 1 });
    const again = before.at(-1);
    expect(
      readRatings(ratings)
        .slice(before.length - 1)
        .map(({ passage, verdict }) => [passage, verdict]),
    ).toEqual([
      [again?.passage, 'natural'],
      [expect.any(String), 'natural'],
    ]);
    expect(open().now(Infinity).waiting).toHaveLength(waiting.length - 1);
  });

  it('takes no rating of what is not waiting, and the same one twice once', () => {
    const desk = open();
    expect(faultOf(() => desk.vote('nothing', 'natural', 1))).toMatchObject({ code: 'bad_input' });
    const [first] = desk.now(Infinity).waiting;
    expect(faultOf(() => desk.vote(first?.id ?? '', 'tie', 1))).toMatchObject({ code: 'bad_input' });
    const name = desk.vote(first?.id ?? '', 'generated', 1);
    const count = readRatings(ratings).length;
    expect(desk.vote(first?.id ?? '', 'generated', 1)).toBe(name);
    expect(faultOf(() => desk.vote(first?.id ?? '', 'natural', 1))).toMatchObject({ code: 'bad_input' });
    expect(readRatings(ratings)).toHaveLength(count);
  });
});
