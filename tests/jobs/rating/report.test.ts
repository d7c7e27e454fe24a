// What people's judgements of a project become for others: a page, data, rows, pairs to train on.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import { openDesk } from '../../../main/jobs/rating/desk.js';
import { questionsOf, type Asked } from '../../../main/jobs/rating/questions.js';
import { writeRatingReport } from '../../../main/jobs/rating/report.js';
import { pairVotes } from '../../../main/jobs/rating/results.js';
import { writeRatingPassages } from '../../../main/jobs/rating/write.js';
import type { Language } from '../../../shared/language.js';
import { judgingReportSchema, type RatingReportFormat } from '../../../shared/judging-report.js';
import type { Answer, BlindQuestion } from '../../../shared/rating.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { addUntrainedModels, addUntrainedRewardModels } from '../../support/untrained-project.js';
import { projectSettings, temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const folder = join(home, 'book');
const previous: Asked = { task: 'pair', against: 'previous' };
const boundary: Asked = { task: 'boundary', against: null };
const single: Asked = { task: 'single', against: null };

const report = (format: RatingReportFormat, more: { file?: string; scores?: boolean; language?: Language } = {}) =>
  writeRatingReport(
    {
      ...{ project: folder, format, file: more.file ?? null },
      ...{ scores: more.scores ?? true, language: more.language ?? 'en' },
    },
    testContext().context,
  );

async function answer(
  asked: Asked,
  count: number,
  rater: string,
  say: (question: BlindQuestion, at: number) => Answer,
) {
  // Some are left that nobody has judged.
  await writeRatingPassages({ folder, ...asked, passages: count + 4 }, testContext().context, () => undefined);
  const desk = openDesk(folder, { ...asked, rater }, () => 1e12);
  for (let at = 0; at < count; at++) {
    const [question] = desk.now(Infinity).waiting;
    if (!question) throw new Error('nothing waits');
    desk.vote(question.id, say(question, at), 3);
  }
}

beforeAll(async () => {
  const given = {
    ...{ data_path: writeText(home), tokenization: 'char', preset: 'none', threads: 1 },
    ...{ n_layer: 1, n_head: 1, n_embd: 8, block_size: 32, max_iters: 1 },
  };
  const { context } = testContext();
  await newProjectJob({ folder, settings: projectSettings({ project: folder, ...given }), given }, context);
  addUntrainedModels(folder, ['base_model_v1', 'base_model_v2']);
  addUntrainedRewardModels(folder, ['reward_model_v1']);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a person reads of a page. */
const readOn = (page: string): string => page.replace(/<pre id="data">[^]*<\/pre>|<style>[^]*<\/style>|<[^>]*>/g, '');

describe('the report of ratings', () => {
  it('needs something that was rated', async () => {
    expect(await faultOfAsync(report('html'))).toMatchObject({ code: 'bad_input', field: 'project' });
    await answer(boundary, 4, 'you', (_, at) => (at === 0 ? 'never' : 2));
    expect(await faultOfAsync(report('pairs'))).toMatchObject({ code: 'bad_input' });
    expect(readdirSync(home)).not.toContain('book.preferences.jsonl');
    await answer(previous, 16, 'you', (_, at) => (at % 5 === 4 ? 'tie' : at % 3 === 0 ? 'second' : 'first'));
    await answer(previous, 3, 'ben', () => 'first');
    await answer(single, 5, 'you', (_, at) => (at % 2 === 0 ? 'natural' : 'generated'));
  });

  it('is a page beside the project, which holds the same data', async () => {
    const { file, judgements } = await report('html');
    expect(file).toBe(join(home, 'book.ratings.html'));
    expect(judgements).toBe(28);
    const page = readFileSync(String(file), 'utf8');
    expect(readOn(page)).toContain('Model after cycle 1 against base model');
    expect(readOn(page)).toContain('Reward model of cycle 1');
    expect(readOn(page)).not.toMatch(/_model_v\d/);
  });

  it('is in German where it is asked for in German, with its figures and the methods', async () => {
    const { file } = await report('html', { language: 'de', file: join(home, 'de.html') });
    const page = readFileSync(String(file), 'utf8');
    expect(page).toContain('<html lang="de">');
    expect(readOn(page)).toContain('Modell nach Zyklus 1 gegen Basismodell');
    expect(page).toMatch(/\d\u00a0% \(\d+\u00a0% bis \d+\u00a0%\)/);
    expect(page).toContain('Eine Stimme dauerte im Median 3,0 s.');
    expect(readOn(page)).not.toMatch(/\b(?:the|votes|with|interval|of)\b|_model_v\d/);
    const { file: data } = await report('json', { language: 'de', file: join(home, 'de.json') });
    expect(judgingReportSchema.parse(JSON.parse(readFileSync(String(data), 'utf8')))).toMatchObject({ language: 'de' });
  });

  it('puts the reward model beside the people, on every pair there is', async () => {
    const { file } = await report('json', { file: join(home, 'with.json') });
    const found = judgingReportSchema.parse(JSON.parse(readFileSync(String(file), 'utf8')));
    expect(found.versions).toEqual(['natural', 'base_model_v1', 'base_model_v2']);
    const [compared] = found.comparisons;
    expect(compared).toMatchObject({ first: 'base_model_v2', second: 'base_model_v1', models: ['reward_model_v1'] });
    expect(compared?.preference.votes).toBeGreaterThan(10);
    expect(compared?.preference.pairs).toBeGreaterThan(compared?.preference.votes ?? Infinity);
    expect(found.boundary.map(({ judge }) => judge)).toEqual(['people', 'reward_model_v1']);
    expect(found.trust.raters.map(({ rater }) => rater)).toEqual(['you', 'ben']);
    expect(found.singles.reduce((sum, { natural }) => sum + natural.of, 0)).toBe(5);

    const { file: plain } = await report('json', { file: join(home, 'without.json'), scores: false });
    const without = judgingReportSchema.parse(JSON.parse(readFileSync(String(plain), 'utf8')));
    expect(without.comparisons[0]).toMatchObject({ models: [], preference: { with: null } });
    expect(without.comparisons[0]?.comparison).toEqual(compared?.comparison);
    expect(without.boundary.map(({ judge }) => judge)).toEqual(['people']);
  });

  it('is every judgement as a row', async () => {
    const { file } = await report('csv');
    const lines = readFileSync(String(file), 'utf8').trimEnd().split('\r\n');
    expect(lines).toHaveLength(1 + 28);
    expect(lines.filter((line) => line.startsWith('pair,'))).toHaveLength(19);
  });

  it('is the preferred text before the other, for pairs in which one was preferred', async () => {
    const { file } = await report('pairs');
    const lines = readFileSync(String(file), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, string>); // oxfmt-ignore
    const questions = new Map(questionsOf(folder, previous).map((question) => [question.id, question]));
    const preferred = new Map<string, number>();
    for (const { pair, outcome, repeat_of, check } of pairVotes(folder)) {
      if (repeat_of !== undefined || check !== undefined) continue;
      preferred.set(pair, (preferred.get(pair) ?? 0) + (outcome === 'first' ? 1 : outcome === 'second' ? -1 : 0));
    }
    const expected = [...preferred].flatMap(([pair, lead]) => {
      const question = questions.get(pair);
      if (question?.task !== 'pair' || lead === 0) return [];
      const [chosen, rejected] = lead > 0 ? (['first', 'second'] as const) : (['second', 'first'] as const);
      return [{ prompt: question.prompt, chosen: question.texts[chosen], rejected: question.texts[rejected] }];
    });
    expect(lines.length).toBeGreaterThan(5);
    expect(new Set(lines.map((line) => JSON.stringify(line)))).toEqual(
      new Set(expected.map((line) => JSON.stringify(line))),
    );
  });

  it('is never written among the project’s own files', async () => {
    const file = join(folder, 'ratings', 'page.html');
    expect(await faultOfAsync(report('html', { file }))).toMatchObject({ code: 'exists' });
    expect(existsSync(file)).toBe(false);
  });
});
