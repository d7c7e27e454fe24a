/** The wizard in a real Electron: texts by drop and by dialog, both inputs, both tokenizations, problems and their buttons. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { t } from '../../renderer/messages/index.js';
import { choiceName } from '../../renderer/messages/settings.js';
import { answerDialog, artifacts, makeFolders, openApp, removeFolders, type RunningApp } from './support/app.js';
import { picture, pictureOfFailure, QUICK, seriousFindings } from './support/page.js';
import {
  beginProject,
  card,
  dropFiles,
  dropZone,
  goToStep,
  kept,
  mend,
  problem,
  startButton,
  typeSetting,
} from './support/wizard.js';

const folders = makeFolders();
const text = join(folders.all, 'play.txt');
const [trainBin, valBin] = [join(folders.all, 'train.bin'), join(folders.all, 'val.bin')];
let app: RunningApp;

const sentence = 'First Citizen: Before we proceed any further, hear me speak. All: Speak, speak.\n';
const tokens = (count: number) => new Uint8Array(Uint16Array.from({ length: count }, (_, at) => (at * 7) % 60).buffer);

beforeAll(async () => {
  writeFileSync(text, Array.from({ length: 4000 }, (_, at) => `${at} ${sentence}`).join(''));
  writeFileSync(trainBin, tokens(200_000));
  writeFileSync(valBin, tokens(20_000));
  app = await openApp(folders, QUICK);
});
afterAll(async () => {
  await app.electron.close();
  removeFolders(folders);
});
beforeEach(async () => {
  await app.page.evaluate(() => {
    location.hash = '#/';
  });
  await beginProject(app.page);
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await pictureOfFailure(app.page, artifacts, task.name);
});

/** Nothing keeps it from starting. */
async function isReady(): Promise<void> {
  await goToStep(app.page, 'review');
  await app.page.getByText(t('wizard.review.startHelp')).waitFor();
  await expect.poll(() => startButton(app.page).isEnabled()).toBe(true);
}

test('a text that is dropped is read, shown and cut into characters', async () => {
  const { page } = app;
  await dropFiles(page, dropZone(page), [text]);
  await page.getByText('play.txt').first().waitFor();
  // Nobody named it: it is called as its text is.
  await expect.poll(() => page.getByLabel(t('wizard.name')).inputValue()).toBe('play');
  await page.getByText('First Citizen').first().waitFor();
  await picture(page, join(artifacts, 'wizard-text-dropped.png'));
  await goToStep(page, 'tokens');
  await card(page, choiceName('tokenization', 'char')).click();
  await kept(page);
  await page.getByText(t('wizard.tokens.why')).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await isReady();
});

test('a small model is taught by one that can write, in tokens of that one', async () => {
  const { page } = app;
  await goToStep(page, 'begin');
  await card(page, t('wizard.begin.taught.title')).click();
  await goToStep(page, 'text');
  await dropFiles(page, dropZone(page), [text]);
  await page.getByText('First Citizen').first().waitFor();
  await goToStep(page, 'tokens');
  await page.getByText(t('wizard.tokens.why')).waitFor();
  await picture(page, join(artifacts, 'wizard-taught-tokens.png'));
  await isReady();
  // Too few steps for the text: the review says how many are enough, and a click sets them.
  await goToStep(page, 'model');
  await page.getByLabel('Steps', { exact: true }).fill('20');
  await goToStep(page, 'review');
  const advice = page.getByRole('note').filter({ hasText: /^Train on first/ });
  await advice.getByRole('button', { name: /^Train for [\d,]+ steps$/ }).click();
  await advice.waitFor({ state: 'detached' });
});

test('a text chosen in the dialog is cut into pieces of words', async () => {
  const { page, electron } = app;
  await answerDialog(electron, [text]);
  await page.getByRole('button', { name: t('wizard.text.chooseFile') }).click();
  await page.getByText('play.txt').first().waitFor();
  await goToStep(page, 'tokens');
  await card(page, choiceName('tokenization', 'bpe')).click();
  await kept(page);
  await page.getByText(t('wizard.tokens.why')).waitFor();
  await isReady();
  // In projects like this one cycles gave nothing: a click leaves them out.
  const advice = page.getByRole('note').filter({ hasText: /^Cycles are unlikely to pay off here/ });
  await advice.getByRole('button', { name: t('wizard.review.withoutCycles') }).click();
  await advice.waitFor({ state: 'detached' });
});

test('a whole folder of texts is taken as one', async () => {
  const { page } = app;
  const folder = join(folders.all, 'texts');
  mkdirSync(folder, { recursive: true });
  for (const name of ['one.txt', 'two.txt']) copyFileSync(text, join(folder, name));
  await dropFiles(page, dropZone(page), [folder]);
  await page.getByText('First Citizen').first().waitFor();
  await isReady();
});

test('several texts are taken as one, dropped or marked in the dialog', async () => {
  const { page, electron } = app;
  const parts = ['first.txt', 'second.txt', 'third.txt', 'fourth.txt'].map((name) => join(folders.all, name));
  for (const part of parts) copyFileSync(text, part);
  await dropFiles(page, dropZone(page), parts.slice(0, 2));
  await page.getByText('first.txt, second.txt', { exact: true }).waitFor();
  await page.getByLabel(t('wizard.name')).fill('My own name');
  await answerDialog(electron, parts);
  await page.getByRole('button', { name: t('wizard.text.chooseFile') }).click();
  await page.getByText('first.txt, fourth.txt, second.txt, … (4)', { exact: true }).waitFor();
  await expect.poll(() => page.getByLabel(t('wizard.name')).inputValue()).toBe('My own name');
  await isReady();
});

test('prepared tokens are the other way in', async () => {
  const { page, electron } = app;
  await card(page, choiceName('input_mode', 'binary')).click();
  await dropFiles(page, dropZone(page), [trainBin, valBin]);
  await page.getByText('train.bin', { exact: true }).nth(1).waitFor();
  await kept(page);
  await goToStep(page, 'review');
  await picture(page, join(artifacts, 'wizard-binary.png'));
  await answerDialog(electron, [valBin]);
  await goToStep(page, 'text');
  await page.getByRole('button', { name: 'val.bin…' }).click();
  await page.getByText('val.bin', { exact: true }).first().waitFor();
});

test('three invalid configurations are told at once, and each is mended by its button', async () => {
  const { page } = app;
  await dropFiles(page, dropZone(page), [text]);
  await page.getByText('play.txt').first().waitFor();
  await typeSetting(page, 'model', 'n_head', '5');
  await typeSetting(page, 'model', 'dropout', '1.5');
  await typeSetting(page, 'reward', 'train_split', '0');
  await goToStep(page, 'review');
  const wrong = [
    problem(page, /divisible by twice “Attention heads”/),
    problem(page, /“Dropout” must be/),
    problem(page, /“Training share” must be/),
  ];
  for (const one of wrong) await one.waitFor();
  await expect.poll(() => startButton(page).isDisabled()).toBe(true);
  await picture(page, join(artifacts, 'wizard-problems.png'));
  expect(await seriousFindings(page)).toEqual([]);
  for (const one of wrong) {
    await mend(one);
    await one.waitFor({ state: 'detached' });
  }
  await isReady();
});

test('what was set up is there again after the app was killed', async () => {
  const { page } = app;
  await dropFiles(page, dropZone(page), [text]);
  await page.getByText('play.txt').first().waitFor();
  await page.getByLabel(t('wizard.name')).fill('Kept through a crash');
  await kept(page);
  const ended = new Promise((resolve) => app.electron.process().once('close', resolve));
  app.electron.process().kill('SIGKILL');
  await ended;
  app = await openApp(folders, QUICK);
  const entry = app.page.getByRole('listitem').filter({ hasText: 'Kept through a crash' });
  await entry.getByRole('link', { name: t('home.draftGoOn') }).click();
  await app.page.getByText('play.txt').first().waitFor();
  expect(app.watch.complaints).toEqual([]);
});
