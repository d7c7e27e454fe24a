/**
 * The whole way in a real Electron, on a very small model: from a dropped text to a finished cycle, with a pause, a stop,
 * a trainer that is killed and an app that is killed in between; then the dashboards and the playground.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { strings } from '../../renderer/strings/index.js';
import { sampleTextPath } from '../../scripts/setup/locations.mjs';
import { artifacts, makeFolders, openApp, removeFolders, type RunningApp } from './support/app.js';
import { picture, pictures, seriousFindings } from './support/page.js';
import { beginProject, card, dropFiles, dropZone, goToStep, kept, startButton, typeSetting } from './support/wizard.js';

const { states, project: words } = strings;
const folders = makeFolders();
const text = join(folders.all, 'book.txt');
/** Everything that TensorFlow does for the first time takes its time on a busy machine. */
const long = 120_000;
let app: RunningApp;

beforeAll(async () => {
  // Only some letters, so that the smallest model has little to learn.
  writeFileSync(text, readFileSync(sampleTextPath(), 'utf8').slice(20_000, 140_000));
  app = await openApp(folders);
});
afterAll(async () => {
  await app.electron.close();
  removeFolders(folders);
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await picture(app.page, join(artifacts, 'failed', `${task.name}.png`));
});

/** The project's state as its badge says it. */
const state = (name: keyof typeof states) =>
  app.page
    .locator('.chip')
    .filter({ hasText: new RegExp(`^${states[name]}$`) })
    .first()
    .waitFor({ timeout: long });
const button = (name: string) => app.page.getByRole('button', { name, exact: true });
/** The steps done, from the line that says what runs now. */
async function stepsDone(): Promise<number> {
  const line = await app.page.getByRole('region', { name: words.now }).innerText();
  return Number(/([\d,.\s]+?)\s*(?:of|\/)\s*[\d,.]+/.exec(line)?.[1]?.replace(/\D/g, '') ?? NaN);
}
async function advances(): Promise<void> {
  const before = await stepsDone();
  await expect.poll(stepsDone, { timeout: long, interval: 200 }).toBeGreaterThan(before);
}
const trainerPid = () =>
  app.electron.evaluate(
    ({ app: electronApp }) =>
      electronApp.getAppMetrics().find(({ name, serviceName }) => /trainer/i.test(`${name ?? ''} ${serviceName ?? ''}`))
        ?.pid,
  );

test('a text becomes a project that trains', async () => {
  const { page } = app;
  await beginProject(page);
  await page.getByLabel(strings.wizard.name).fill('Very small');
  await dropFiles(page, dropZone(page), [text]);
  await page.getByText('book.txt').first().waitFor();
  await goToStep(page, 'tokens');
  await card(page, strings.wizard.tokens.char.title).click();
  const small = {
    n_layer: 1,
    n_head: 2,
    n_embd: 32,
    block_size: 32,
    batch_size: 4,
    max_iters: 1_000_000,
    eval_interval: 100,
  };
  for (const [name, value] of Object.entries({ ...small, eval_iters: 2 }))
    await typeSetting(page, 'model', name, String(value));
  for (const [name, value] of Object.entries({
    reward_train_samples: 200,
    reward_val_samples: 100,
    reward_max_iters: 20,
  })) {
    await typeSetting(page, 'reward', name, String(value));
  }
  for (const [name, value] of Object.entries({ grpo_max_steps: 4, max_cycles: 1 }))
    await typeSetting(page, 'grpo', name, String(value));
  await kept(page);
  await goToStep(page, 'review');
  await startButton(page).click();
  await state('running');
  await page.getByRole('region', { name: words.now }).waitFor({ timeout: long });
  await advances();
}, 300_000);

test('pause holds it, resume lets it go on', async () => {
  const asked = performance.now();
  await button(words.controls.pause).click();
  await state('paused');
  console.log(`paused ${Math.round(performance.now() - asked)} ms after the click`);
  const held = await stepsDone();
  await app.page.waitForTimeout(1000);
  expect(await stepsDone()).toBe(held);
  await button(words.controls.resume).click();
  await state('running');
  await advances();
}, 300_000);

test('a trainer that is killed is started again and goes on', async () => {
  // What it goes on from: a checkpoint of the first evaluations.
  await expect.poll(stepsDone, { timeout: long }).toBeGreaterThan(250);
  const pid = await trainerPid();
  expect(pid).toBeDefined();
  process.kill(Number(pid), 'SIGKILL');
  await expect.poll(trainerPid, { timeout: long }).not.toBe(pid);
  await state('running');
  await app.page.getByRole('region', { name: words.now }).waitFor({ timeout: long });
  await advances();
}, 300_000);

test('an app that is killed asks whether to go on, and does', async () => {
  const ended = new Promise((resolve) => app.electron.process().once('close', resolve));
  app.electron.process().kill('SIGKILL');
  await ended;
  app = await openApp(folders);
  await app.page.getByText(strings.queue.interrupted).waitFor({ timeout: long });
  await picture(app.page, join(artifacts, 'interrupted.png'));
  await button(strings.queue.goOn).click();
  await app.page.getByRole('link', { name: 'Very small' }).first().click();
  await state('running');
  await app.page.getByRole('region', { name: words.now }).waitFor({ timeout: long });
  await advances();
}, 300_000);

test('stop keeps a checkpoint, and it goes on from there', async () => {
  const { page } = app;
  await button(words.controls.stop).click();
  await page.getByRole('menuitem', { name: words.controls.stopStep }).click();
  await state('stopped');
  await button(words.controls.goOn).click();
  await state('running');
  await page.getByRole('region', { name: words.now }).waitFor({ timeout: long });
  await advances();
}, 300_000);

test('skipping the rest of base training leads through the cycle to the end', async () => {
  const { page } = app;
  await button(words.controls.more).click();
  await page.getByRole('menuitem', { name: words.controls.skip }).click();
  await state('finished');
}, 420_000);

test('the dashboards show what was measured', async () => {
  const { page } = app;
  for (const [name, link] of [
    ['across', words.across],
    ['base', words.baseModel],
    ['cycle', words.cycle('1')],
  ] as const) {
    await page.getByRole('navigation', { name: words.timeline }).getByRole('link', { name: link }).first().click();
    await page.locator('canvas').first().waitFor({ timeout: long });
    await pictures(page, artifacts, `dashboard-${name}`);
    expect(await seriousFindings(page), name).toEqual([]);
  }
  expect(app.watch.complaints).toEqual([]);
}, 300_000);

test('the playground writes with the model', async () => {
  const { page } = app;
  await page.getByRole('link', { name: words.playground }).click();
  await page.getByLabel(strings.playground.prompt).fill('The ');
  await button(strings.playground.write).click();
  const written = page.locator('[data-token]');
  await expect.poll(() => written.count(), { timeout: long }).toBeGreaterThan(20);
  await pictures(page, artifacts, 'playground');
  expect(await seriousFindings(page)).toEqual([]);
  expect(app.watch.complaints).toEqual([]);
}, 300_000);
