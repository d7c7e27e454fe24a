// The report of people's votes as files: a page, data, rows.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import { openDesk } from '../../../main/jobs/rating/desk.js';
import type { Queue } from '../../../main/jobs/rating/questions.js';
import { writeRatingReport } from '../../../main/jobs/rating/report.js';
import { writeRatingPassages } from '../../../main/jobs/rating/write.js';
import { judgingReportSchema, type RatingReportFormat } from '../../../shared/judging-report.js';
import type { Answer, BlindQuestion } from '../../../shared/rating.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { addUntrainedModels } from '../../support/untrained-project.js';
import { projectRequest, temporaryFolder, testContext, untrained } from '../context.js';
import '../../support/messages.js';

const home = temporaryFolder();
const folder = join(home, 'book');
const previous: Queue = { task: 'pair', against: 'previous' };
const boundary: Queue = { task: 'boundary', against: null };

const report = (format: RatingReportFormat, file: string | null = null) =>
  writeRatingReport({ project: folder, format, file, language: 'en' }, testContext().context);

async function answer(
  queue: Queue,
  count: number,
  rater: string,
  say: (question: BlindQuestion, at: number) => Answer,
) {
  // Some are left unrated.
  await writeRatingPassages({ folder, ...queue, passages: count + 4 }, testContext().context, () => undefined);
  const desk = openDesk(folder, { ...queue, rater }, () => 1e12);
  for (let at = 0; at < count; at++) {
    const [question] = desk.view(Infinity).waiting;
    if (!question) throw new Error('nothing waits');
    desk.vote(question.id, say(question, at), 3);
  }
}

beforeAll(async () => {
  await newProjectJob(projectRequest(folder, { ...untrained, data_path: writeText(home) }), testContext().context);
  addUntrainedModels(folder, ['base_model_v1', 'base_model_v2']);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a person reads of a page. */
const readOn = (page: string): string => page.replace(/<pre id="data">[^]*<\/pre>|<style>[^]*<\/style>|<[^>]*>/g, '');

describe('the report of ratings', () => {
  it('needs something that was rated', async () => {
    expect(await faultOfAsync(report('html'))).toMatchObject({ code: 'bad_input', field: 'project' });
    await answer(boundary, 4, 'you', (_, at) => (at === 0 ? 'never' : 2));
    await answer(previous, 16, 'you', (_, at) => (at % 5 === 4 ? 'tie' : at % 3 === 0 ? 'second' : 'first'));
    await answer(previous, 3, 'ben', () => 'first');
  });

  it('is a page next to the project', async () => {
    const { file, judgements } = await report('html');
    expect(file).toBe(join(home, 'book.ratings.html'));
    expect(judgements).toBe(23);
    const page = readFileSync(String(file), 'utf8');
    expect(readOn(page)).toContain('Model after cycle 1 against base model');
    expect(readOn(page)).not.toMatch(/_model_v\d/);
  });

  it('is data for other programs', async () => {
    const { file } = await report('json', join(home, 'with.json'));
    const found = judgingReportSchema.parse(JSON.parse(readFileSync(String(file), 'utf8')));
    expect(found.versions).toEqual(['natural', 'base_model_v1', 'base_model_v2']);
    expect(found.comparisons).toHaveLength(1);
    expect(found.comparisons[0]).toMatchObject({ first: 'base_model_v2', second: 'base_model_v1' });
    expect(found.boundary.map(({ rater }) => rater)).toEqual(['people']);
    expect(found.reliability.map(({ rater }) => rater)).toEqual(['people', 'you', 'ben']);
  });

  it('is never written among the project’s own files', async () => {
    const file = join(folder, 'ratings', 'page.html');
    expect(await faultOfAsync(report('html', file))).toMatchObject({ code: 'exists' });
    expect(existsSync(file)).toBe(false);
  });
});
