/**
 * The window in a current Chromium, through `verisim serve`, with nothing stood in for: a text is dropped, looked at, and
 * set up page by page; problems are told and mended. Each screen is photographed in both themes and at two widths, and
 * examined by axe; the user guide's pictures are taken on the way (`npm run guide`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { strings } from '../../renderer/strings/index.js';
import { sampleTextPath } from '../../scripts/setup/locations.mjs';
import { artifacts as allArtifacts } from './support/app.js';
import { guidePicture } from './support/guide.js';
import { picture, pictures, seriousFindings } from './support/page.js';
import { openServed, type Served } from './support/served.js';
import { card, dropFiles, dropZone, goToStep, mend, problem, startButton, typeSetting } from './support/wizard.js';

const { home, wizard } = strings;
const artifacts = join(allArtifacts, 'browser');
/** TensorFlow loads for the first time, on two cores that others use too. */
const long = 150_000;
let served: Served;

beforeAll(async () => {
  served = await openServed();
});
afterAll(() => served.close());
let failed = false;
beforeEach(() => {
  // Each part goes on from the one before.
  if (failed) throw new Error('an earlier part did not come to its end');
});
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail' || failed) return;
  failed = true;
  await picture(served.page, join(artifacts, 'failed', `${task.name}.png`));
});

const go = (hash: string): Promise<void> =>
  served.page.evaluate((to) => {
    location.hash = to;
  }, hash);

/** What axe has to say, told at the end: one finding is no reason not to look at the other screens. */
const findings: object[] = [];

/** Pictures of a screen, and what axe has to say of it. */
async function look(name: string, inGuide?: string): Promise<void> {
  if (inGuide !== undefined)
    await guidePicture(served.page, inGuide, { [served.projects]: '/home/me/Verisim', [served.folder]: '/home/me' });
  await pictures(served.page, artifacts, name);
  for (const finding of await seriousFindings(served.page)) findings.push({ screen: name, ...finding });
  await served.page.setViewportSize({ width: 1280, height: 820 });
}

test('a first start says what there is to do', async () => {
  await served.page.getByText(home.emptyTitle).waitFor();
  await look('home-empty', 'home-empty');
});

test('a text becomes a project, page by page', async () => {
  const { page } = served;
  const text = join(served.folder, 'moby-dick.txt');
  writeFileSync(text, readFileSync(sampleTextPath(), 'utf8').slice(30_000, 330_000));
  await page.getByRole('main').getByRole('button', { name: home.own }).click();
  await page.getByLabel(wizard.name).fill('A very small Moby-Dick');
  await dropFiles(page, dropZone(page), [text]);
  await page.getByRole('heading', { name: wizard.text.found }).waitFor({ timeout: long });
  await look('wizard-text', 'wizard-text');
  await goToStep(page, 'tokens');
  await card(page, wizard.tokens.char.title).click();
  await page.getByText(wizard.tokens.why).waitFor({ timeout: long });
  await look('wizard-tokens', 'wizard-tokens');
  await goToStep(page, 'model');
  await card(page, strings.presets.nano).click();
  await page.getByText(wizard.model.timeTotal).waitFor();
  await look('wizard-model', 'wizard-model');
  await goToStep(page, 'reward');
  await page.getByText(wizard.reward.picture).waitFor();
  await look('wizard-reward', 'wizard-reward');
  await goToStep(page, 'grpo');
  await look('wizard-grpo');
}, 240_000);

test('what cannot work is told, each with its way out, and Start waits for it', async () => {
  const { page } = served;
  await typeSetting(page, 'model', 'n_head', '5');
  await typeSetting(page, 'reward', 'train_split', '0');
  await typeSetting(page, 'grpo', 'group_size', '1');
  await goToStep(page, 'review');
  const wrong = [/divisible by/, /“Training share” must be/, /“Group size” must be/].map((text) => problem(page, text));
  for (const one of wrong) await one.waitFor();
  expect(await startButton(page).isDisabled()).toBe(true);
  await look('wizard-review-problems', 'wizard-problems');
  for (const one of wrong) {
    await mend(one);
    await one.waitFor({ state: 'detached' });
  }
}, 120_000);

test('what is set up is kept, and a draft that is none is told', async () => {
  const { page } = served;
  await page.getByText(wizard.review.startHelp).waitFor();
  await look('wizard-review');
  await go('/');
  await page.getByText(home.drafts).waitFor();
  await look('home-draft');
  await go('/new/draft_none/text');
  await page.getByRole('alert').waitFor();
  await look('wizard-missing');
}, 120_000);

test('axe finds nothing serious on any screen', () => {
  expect(findings).toEqual([]);
});
