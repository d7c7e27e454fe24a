/** The wizard as a person goes through it, in Electron and in a browser alike. */
import type { CDPSession, Locator, Page } from 'playwright-core';
import { t } from '../../../renderer/messages/index.js';
import { choiceName } from '../../../renderer/messages/settings.js';
import type { projectShape } from '../../../shared/config/index.js';
import { plainSteps, type StepName } from '../../../renderer/wizard/steps.js';

type SettingName = keyof typeof projectShape;

/** Opens a new draft, chooses what it starts from, and returns to its text. */
export async function beginProject(page: Page, from: 'model' | 'nothing' = 'nothing'): Promise<void> {
  await page.getByRole('heading', { name: t('home.title'), level: 1, exact: true }).waitFor();
  await page.keyboard.press('Control+Shift+N');
  await page.getByRole('heading', { name: t('wizard.steps.text.title'), level: 1, exact: true }).waitFor();
  await goToStep(page, 'begin');
  await card(page, t(`wizard.begin.${from}.title`)).click();
  await kept(page);
  await goToStep(page, 'text');
}

export async function goToStep(page: Page, step: StepName): Promise<void> {
  const title = t(`wizard.steps.${step}.title`);
  const list = page.getByRole('navigation', { name: t('wizard.title') });
  const customize = list.getByRole('button', { name: t('wizard.customize') });
  const isClosed = (await customize.getAttribute('aria-expanded')) === 'false';
  if (isClosed && !plainSteps.some((name) => name === step)) await customize.click();
  await list.getByRole('link', { name: title }).click();
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/** Finds a choice by its whole title, as others may start alike or mention it. */
export const card = (page: Page, title: string): Locator =>
  page.getByRole('radio').filter({ has: page.getByText(title, { exact: true }) });

/** Until what was changed is kept. */
export const kept = (page: Page): Promise<void> => page.getByText(t('wizard.kept')).waitFor();

/** Files dropped from outside, as a file manager does: the debugging protocol makes a drag that the page trusts. */
export async function dropFiles(page: Page, target: Locator, files: readonly string[]): Promise<void> {
  const box = await target.boundingBox();
  if (box === null) throw new Error('there is nothing to drop on');
  const session: CDPSession = await page.context().newCDPSession(page);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
  }
  await session.detach();
}

export const dropZone = (page: Page): Locator => page.locator('.drop-zone').first();

/** A setting's field, wherever it is: a problem's link opens its place in the same way. */
async function openSetting(page: Page, step: StepName, name: string): Promise<Locator> {
  const draft = /#\/new\/([^/?]+)/.exec(page.url())?.[1] ?? '';
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/new/${draft}/${step}?field=${name}`);
  return page.locator(`#input-${name}`);
}

/** Types a value into a setting. */
export async function typeSetting(page: Page, step: StepName, name: string, value: string): Promise<void> {
  await (await openSetting(page, step, name)).fill(value);
  await kept(page);
}

/** Chooses one of a setting's values, by what the form calls it. */
export async function chooseSetting(page: Page, step: StepName, name: SettingName, value: string): Promise<void> {
  await (await openSetting(page, step, name)).click();
  await page.getByRole('option', { name: choiceName(name, value), exact: true }).click();
  await kept(page);
}

/** A problem of the validation panel, by a part of its sentence. */
export const problem = (page: Page, text: string | RegExp): Locator =>
  page
    .getByRole('region', { name: t('wizard.review.problems') })
    .getByRole('listitem')
    .filter({ hasText: text });

export const mend = (entry: Locator): Promise<void> =>
  entry.getByRole('button', { name: t('wizard.review.mend') }).click();

export const startButton = (page: Page): Locator => page.getByRole('button', { name: t('wizard.review.start') });
