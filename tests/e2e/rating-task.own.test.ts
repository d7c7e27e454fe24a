/** An exported rating task in a real Chromium, from the disk: by keyboard alone, without a request, back into the project. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RatingTask } from '../../shared/rating.js';
import { newProjectJob } from '../../main/jobs/project/cycle.js';
import { writeReport } from '../../main/jobs/report/report.js';
import { importResult, writeTask } from '../../main/jobs/rating/task-files.js';
import { readVotes } from '../../main/storage/projects/rating-votes.js';
import { taskFolder, writePassages } from '../../main/storage/projects/ratings.js';
import { findChromium } from '../../scripts/setup/system.mjs';
import { writeText } from '../cli/program.js';
import { projectSettings, temporaryFolder, testContext } from '../jobs/context.js';
import '../support/messages.js';
import { makeReportedProject } from '../support/reported-project.js';
import { addUntrainedModels } from '../support/untrained-project.js';
import { artifacts } from './support/app.js';
import { keepFigures } from './support/figures.js';
import { picture, QUICK, seriousFindings, themes, watchPage } from './support/page.js';

const home = temporaryFolder();
const folder = join(home, 'book');
const sources = ['natural', 'base_model_v1', 'base_model_v2'];
let browser: Browser;

beforeAll(async () => {
  const given = {
    ...{ data_path: writeText(home, 1500), tokenization: 'char', preset: 'none', threads: 1 },
    ...{ n_layer: 1, n_head: 1, n_embd: 8, block_size: 16, max_iters: 1 },
  };
  const { context } = testContext();
  await newProjectJob({ folder, settings: projectSettings({ project: folder, ...given }), given }, context);
  addUntrainedModels(folder, sources.slice(1));
  for (const task of ['pair', 'boundary'] as const)
    for (const [which, source] of sources.entries()) {
      const passages = Array.from({ length: 4 }, (_, at) => ({
        prompt: `The ${at}th time the ship `,
        text: `that ${which} whales sank </script><b> went deep into the sea.`,
      }));
      writePassages(taskFolder(join(folder, 'ratings'), task), source, passages);
    }
  const program = findChromium();
  if (program === null) throw new Error('There is no Chromium: install the package chromium, or set VERISIM_CHROMIUM.');
  browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', ...QUICK] });
});
afterAll(async () => {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
});

/** The page of a task, with everything that it asks for and complains of. */
async function openTask(task: RatingTask) {
  const file = join(home, `${task}.html`);
  writeTask(folder, { task, against: task === 'pair' ? 'previous' : null }, { file, language: 'en' });
  return { ...(await openPage(file, 900)), file };
}

async function openPage(file: string, width: number) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, acceptDownloads: true });
  const watch = watchPage(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return { page, watch, requests };
}

it('is rated by keyboard alone, survives a reload, and comes back as votes; no request leaves', async () => {
  const { page, watch, requests, file } = await openTask('pair');
  for (const source of sources.slice(1)) expect(readFileSync(file, 'utf8')).not.toContain(source);
  await page.keyboard.type('Ana');
  await page.keyboard.press('Enter');
  // Four pairs, and as many repeats as the project's key selects.
  const progress = await page.getByText(/^0 of \d+ rated$/).innerText();
  const total = Number(/of (\d+)/.exec(progress)?.[1]);
  const rated = (count: number) => page.getByText(`${count} of ${total} rated`, { exact: true }).waitFor();
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, join(artifacts, `rating-task-${theme}.png`));
  }
  const waits: number[] = [];
  for (const [count, key] of ['1', '2', '0'].entries()) {
    const startedAt = performance.now();
    await page.keyboard.press(key);
    await rated(count + 1);
    waits.push(performance.now() - startedAt);
  }
  // Without Latin letters: и is typed by the key that is called B.
  await page.locator(':focus').dispatchEvent('keydown', { key: 'и', code: 'KeyB' });
  await rated(2);
  // On a busy machine a page that is loaded within milliseconds of an answer is now and then quicker than the browser's storage.
  const reloaded = async () => {
    await page.reload();
    return page.getByText(/rated$/).innerText({ timeout: 1000 });
  };
  await expect.poll(() => reloaded().catch(() => null)).toBe(`2 of ${total} rated`);
  await page.keyboard.press('9');
  for (let count = 3; count < total; count++) {
    await rated(count);
    await page.keyboard.press('1');
  }
  await page.getByText('Thank you, Ana!').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /Download the answers/ }).press('Enter'),
  ]);
  const answers = join(home, 'answers.json');
  await download.saveAs(answers);
  expect(importResult(folder, readFileSync(answers, 'utf8'))).toMatchObject({ added: total });
  const { votes } = readVotes(join(folder, 'ratings'));
  expect(votes.map((vote) => vote.task === 'pair' && vote.outcome)).toContain('both_bad');
  expect(votes).toHaveLength(total);
  // The page itself, twice, and the file that it made in memory.
  expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('blob:'))).toEqual([]);
  expect(watch.complaints).toEqual([]);
  keepFigures('rating-task', { key_to_next_ms: Math.round(waits.toSorted((a, b) => a - b)[1] ?? NaN) });
  await page.close();
});

it('takes a boundary by the arrow keys', async () => {
  const { page, watch } = await openTask('boundary');
  await page.keyboard.type('Bo');
  await page.keyboard.press('Enter');
  await page.getByText(/^0 of \d+ rated$/).waitFor();
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('option').nth(2).getAttribute('aria-selected')).toBe('true');
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText(/^1 of \d+ rated$/).waitFor();
  await page.keyboard.press('n');
  await page.getByText(/^2 of \d+ rated$/).waitFor();
  expect(watch.complaints).toEqual([]);
  await page.close();
});

it('is not the only page that is given away: a report of two projects opens from the disk without a request', async () => {
  const [one, other] = [join(home, 'first-book'), join(home, 'second <b>book')];
  const text = join(home, 'input.txt');
  await makeReportedProject(one, { text, cycles: 2 });
  await makeReportedProject(other, { text, cycles: 1, settings: { n_embd: 16 } });
  const given = [
    { name: 'one', projects: [one], language: 'en' },
    { name: 'two', projects: [one, other], language: 'en' },
    { name: 'two-de', projects: [one, other], language: 'de' },
  ] as const;
  for (const { name, projects, language } of given) {
    const file = join(home, `report-${name}.html`);
    await writeReport({ projects, format: 'html', file, language }, testContext().context);
    for (const width of [900, 1600]) {
      const { page, watch, requests } = await openPage(file, width);
      expect(await page.locator('figure svg path').count()).toBeGreaterThan(4);
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        expect(await seriousFindings(page)).toEqual([]);
        await picture(page, join(artifacts, `report-${name}-${theme}-${width}.png`));
      }
      expect(requests).toEqual([pathToFileURL(file).href]);
      expect(watch.complaints).toEqual([]);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(beyond).toBeLessThanOrEqual(0);
      await page.close();
    }
  }
});
