/**
 * The whole way in a real Electron on very small models: from a dropped text to a finished cycle, with a pause, a stop, a
 * killed trainer and a killed app in between; then prepared tokens.
 */
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { t } from '../../renderer/messages/index.js';
import { choiceName } from '../../renderer/messages/settings.js';
import { sampleTextPath } from '../../main/installation/locations.mjs';
import {
  answerDialog,
  artifacts,
  checkout,
  endApp,
  makeFolders,
  openApp,
  removeFolders,
  type RunningApp,
} from './support/app.js';
import { keepFigures } from './support/figures.js';
import { picture, pictureOfFailure, QUICK, seriousFindings } from './support/page.js';
import {
  advances,
  button,
  choose,
  isAlive,
  long,
  reaches,
  savedStep,
  stepsShown,
  workerOf,
} from './support/project.js';
import {
  beginProject,
  card,
  chooseSetting,
  dropFiles,
  dropZone,
  goToStep,
  kept,
  startButton,
  typeSetting,
} from './support/wizard.js';

vi.setConfig({ testTimeout: 3 * long });
const folders = makeFolders();
const text = join(folders.all, 'shakespeare.txt');
const [trainBin, valBin] = [join(folders.all, 'train.bin'), join(folders.all, 'val.bin')];
let app: RunningApp;
let project = '';

beforeAll(async () => {
  // Tinyshakespeare is not in the repository; without it, another book serves.
  const shakespeare = join(checkout, '../shared/data/tinyshakespeare.txt');
  copyFileSync(existsSync(shakespeare) ? shakespeare : sampleTextPath(), text);
  app = await openApp(folders, QUICK);
});
afterAll(async () => {
  await endApp(app);
  removeFolders(folders);
});

/** Each test goes on where the one before it ended. */
let broken: string | null = null;
beforeEach(() => {
  if (broken !== null) throw new Error(`Not tried: “${broken}” failed before it.`);
});
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail' || broken !== null) return;
  broken = task.name;
  await pictureOfFailure(app.page, artifacts, task.name);
});

type Step = Parameters<typeof goToStep>[1];
async function typeAll(step: Step, values: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await typeSetting(app.page, step, name, String(value));
}

/** What makes the later phases a matter of seconds. */
const quickCycle = {
  reward: {
    ...{ reward_train_samples: 160, reward_val_samples: 80, reward_max_iters: 40 },
    judge_passages: 0,
  },
  grpo: { prompts_per_step: 2, group_size: 4, grpo_max_steps: 6, grpo_eval_prompts: 8, max_cycles: 1 },
};

test('a text that is dropped becomes a project, which trains', async () => {
  const { page } = app;
  await beginProject(page);
  await page.getByLabel(t('wizard.name')).fill('Very small');
  await dropFiles(page, dropZone(page), [text]);
  await page.getByText('shakespeare.txt').first().waitFor();
  await goToStep(page, 'tokens');
  await card(page, choiceName('tokenization', 'char')).click();
  await goToStep(page, 'model');
  await card(page, t('presets.nano')).click();
  await kept(page);
  // Steps long enough to see that a pause waits for no more than one; more of them than anyone waits for. Each layer is compiled
  // in every function.
  await typeAll('model', {
    n_layer: 1,
    batch_size: 128,
    max_iters: 1_000_000,
    eval_interval: 20,
    eval_iters: 2,
    log_interval: 1,
  });
  await chooseSetting(page, 'reward', 'reward_kind', 'head');
  await typeAll('reward', quickCycle.reward);
  await typeAll('grpo', quickCycle.grpo);
  await goToStep(page, 'review');
  await picture(page, join(artifacts, 'review.png'));
  await startButton(page).click();
  await reaches(page, 'running');
  await advances(page);
  const [folder = ''] = readdirSync(folders.projects);
  project = join(folders.projects, folder);
  await picture(page, join(artifacts, 'training.png'));
});

test('a click on pause acts within a step, and it goes on where it was', async () => {
  const { page } = app;
  await page.bringToFront();
  const rate = Number(
    /([\d.,]+) steps\/s/
      .exec(await page.getByRole('region', { name: t('project.now') }).innerText())?.[1]
      ?.replaceAll(',', '') ?? NaN,
  );
  const pressedAt = performance.now();
  await button(page, t('project.controls.pause')).click();
  await button(page, t('project.controls.resume')).waitFor();
  const milliseconds = Math.round(performance.now() - pressedAt);
  keepFigures('pause', {
    click_to_paused_shown_ms: milliseconds,
    step_ms: Math.round(1000 / rate),
    load_average: loadavg()[0] ?? null,
  });
  await reaches(page, 'paused');
  // The last step may be reported after the pause.
  let held = NaN;
  const isStill = async () => held === (held = await stepsShown(page));
  await expect.poll(isStill, { interval: 500 }).toBe(true);
  // What takes as long as many steps would.
  expect(await seriousFindings(page)).toEqual([]);
  await picture(page, join(artifacts, 'paused.png'));
  expect(await stepsShown(page)).toBe(held);
  await button(page, t('project.controls.resume')).click();
  await reaches(page, 'running');
  await advances(page);
});

test('a trainer that is killed is started again, and goes on from its last checkpoint', async () => {
  await expect.poll(() => savedStep(project), { timeout: long }).toBeGreaterThan(0);
  const [pid, saved] = [workerOf(project), savedStep(project)];
  expect(pid).not.toBeNull();
  process.kill(Number(pid), 'SIGKILL');
  const another = () => {
    const now = workerOf(project);
    return now !== null && now !== pid;
  };
  await expect.poll(another, { timeout: long }).toBe(true);
  await reaches(app.page, 'running');
  await advances(app.page);
  await expect.poll(() => stepsShown(app.page)).toBeGreaterThan(saved);
  expect(readFileSync(join(project, 'events.jsonl'), 'utf8')).toContain('trainer_restarted');
});

test('an app that is killed asks when it is opened again, and goes on', async () => {
  const saved = savedStep(project);
  const trainer = Number(workerOf(project));
  await endApp(app);
  // Alone, it stops with a checkpoint.
  await expect.poll(() => isAlive(trainer), { timeout: long }).toBe(false);
  app = await openApp(folders, QUICK);
  await app.page.getByText(t('queue.interrupted')).waitFor({ timeout: long });
  await picture(app.page, join(artifacts, 'interrupted.png'));
  await button(app.page, t('queue.goOn')).click();
  await app.page.getByRole('main').getByRole('link', { name: 'Very small' }).first().click();
  await reaches(app.page, 'running');
  await advances(app.page);
  await expect.poll(() => stepsShown(app.page)).toBeGreaterThan(saved);
});

test('stop keeps a checkpoint, and it goes on from there', async () => {
  const { page } = app;
  await choose(page, t('project.controls.stop'), t('project.controls.stopStep'));
  await reaches(page, 'stopped');
  const saved = savedStep(project);
  expect(workerOf(project)).toBeNull();
  await button(page, t('project.controls.goOn')).click();
  await reaches(page, 'running');
  await advances(page);
  await expect.poll(() => stepsShown(page)).toBeGreaterThan(saved);
});

test('skipping the rest of base training leads through the cycle to the end', async () => {
  const { page } = app;
  await choose(page, t('project.controls.more'), t('project.controls.skip'));
  await reaches(page, 'finished');
});

test('prepared word pieces, chosen in the dialog, train to the end as well', async () => {
  const { page, electron } = app;
  const tokens = (count: number) =>
    new Uint8Array(Uint16Array.from({ length: count }, (_, at) => (at * 7) % 600).buffer);
  writeFileSync(trainBin, tokens(4000));
  writeFileSync(valBin, tokens(200));
  await page.evaluate(() => (location.hash = '#/'));
  await beginProject(page);
  await page.getByLabel(t('wizard.name')).fill('Word pieces');
  await card(page, choiceName('input_mode', 'binary')).click();
  for (const [name, file] of [
    ['train.bin…', trainBin],
    ['val.bin…', valBin],
  ] as const) {
    await answerDialog(electron, [file]);
    await page.getByRole('button', { name }).click();
    await page.getByText(name.slice(0, -1), { exact: true }).first().waitFor();
  }
  await goToStep(page, 'tokens');
  await card(page, choiceName('tokenization', 'bpe')).click();
  await goToStep(page, 'model');
  await card(page, t('presets.nano')).click();
  await kept(page);
  // A few steps and no cycle: with the tests' compiling (vitest.config.ts) 50,257 word pieces take a second or two each time.
  await typeAll('model', { n_layer: 1, n_embd: 16, block_size: 16, batch_size: 2, max_iters: 2, eval_interval: 2 });
  await typeAll('model', { eval_iters: 1 });
  await typeAll('grpo', { max_cycles: 0 });
  await goToStep(page, 'review');
  await startButton(page).click();
  await reaches(page, 'finished');
  expect(app.watch.complaints).toEqual([]);
});
