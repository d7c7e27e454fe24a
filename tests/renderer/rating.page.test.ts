/** The blind test: by keys, one question at a time; undo, skip, and the results. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { t } from '../../renderer/messages/index.js';
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

const at = '/project/project_shakespeare/rate';
const task = (page: Page, name: 'pair' | 'boundary') =>
  page.getByRole('button', { name: t(`rating.tasks.${name}`), exact: true }).click();
const isRated = (page: Page, count: string) =>
  page.getByText(t('rating.progress', { rated: count, total: '60' }), { exact: true }).waitFor();

it('takes answers by 1, 2, 0 and 9, undoes as often as wanted, and skips', async () => {
  const { page, watch } = await screens.open({ at });
  await isRated(page, '48');
  const texts = () => page.getByRole('article').allInnerTexts();
  const seen: string[][] = [];
  // The focus is where the keys work, from the start and after each answer.
  for (const [count, key] of ['1', '2', '0', '9'].entries()) {
    seen.push(await texts());
    await page.keyboard.press(key);
    await isRated(page, String(49 + count));
  }
  expect(new Set(seen.map((pair) => pair.join())).size).toBe(4);
  for (const [count, last] of [...seen.entries()].reverse().slice(0, 2)) {
    await page.keyboard.press('b');
    await isRated(page, String(48 + count));
    await expect.poll(texts).toEqual(last);
  }
  const shown = await texts();
  await page.keyboard.press('s');
  await expect.poll(texts).not.toEqual(shown);
  await isRated(page, '50');
  // The same keys where they type something else: AZERTY's first digit, and a Cyrillic layout.
  const press = (key: string, code: string) => page.locator(':focus').dispatchEvent('keydown', { key, code });
  await press('&', 'Digit1');
  await isRated(page, '51');
  await press('и', 'KeyB');
  await isRated(page, '50');
  // With a modifier the key belongs to the system or the browser.
  await page.keyboard.press('Alt+1');
  await page.getByRole('button', { name: t('rating.undo'), exact: true }).click();
  await isRated(page, '49');
  await expect.poll(texts).toEqual(seen[1]);
  expect(await page.getByRole('main').innerText()).not.toContain('base_model');
  expect(watch.complaints).toEqual([]);
});

it('keeps the answers in view, however long the texts are', async () => {
  const { page } = await screens.open({ at });
  await page.setViewportSize({ width: 1280, height: 640 });
  await isRated(page, '48');
  for (const answer of [t('rating.answers.first'), t('rating.answers.both_bad')]) {
    const lowestPoint = async () => {
      const shown = await page.getByRole('button', { name: answer, exact: true }).boundingBox();
      return (shown?.y ?? NaN) + (shown?.height ?? NaN);
    };
    await expect.poll(lowestPoint).toBeLessThanOrEqual(640);
  }
});

it('finds a boundary by the arrow keys, and announces each word to a screen reader', async () => {
  const { page, watch } = await screens.open({ at });
  await task(page, 'boundary');
  const options = page.getByRole('option');
  await options.first().waitFor();
  await isRated(page, '48');
  const count = await options.count();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => options.nth(2).getAttribute('aria-selected')).toBe('true');
  const word = ((await options.nth(2).textContent()) ?? '').trim();
  await page
    .getByText(t('rating.boundary.word', { word, number: '3', total: String(count) }), { exact: true })
    .waitFor({ state: 'attached' });
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => options.nth(count - 11).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  await isRated(page, '49');
  await page.keyboard.press('n');
  await isRated(page, '50');
  // By the mouse: the word, then the word again.
  await options.nth(4).click();
  await options.nth(4).click();
  await isRated(page, '51');
  await page.getByRole('button', { name: t('rating.results') }).click();
  await page.getByRole('table').getByText(t('rating.pairs.everyone')).waitFor();
  expect(watch.complaints).toEqual([]);
});

it('shows win rates, reward and copying, and that people and the reward disagree', async () => {
  const { page, watch } = await screens.open({ at });
  await page.getByRole('button', { name: t('rating.results') }).click();
  await page.getByText(t('rating.pairs.alarm')).waitFor();
  await page.getByText(/^“Model after cycle 1” was preferred \d+ times, “Base model” \d+ times, neither/).waitFor();
  // For whoever wants to know: the figures.
  await page.getByRole('button', { name: t('rating.pairs.details') }).click();
  await page.getByRole('table').first().getByText('Model after cycle 1').waitFor();
  await page.getByRole('heading', { name: t('rating.pairs.reliability') }).waitFor();
  await page.getByText(t('rating.pairs.copying')).waitFor();
  await page.getByText(/^\d+% of untied votes prefer “Model after cycle 1” \(95% CI/).waitFor();
  await page.getByRole('button', { name: t('rating.goOn', { count: '12' }) }).click();
  await isRated(page, '48');
  expect(watch.complaints).toEqual([]);
});

it('has the first passages written without being asked, and rates them', async () => {
  const { page } = await screens.open({ at: '/project/project_moby' });
  await page.getByRole('link', { name: t('rating.short') }).click();
  await page.getByRole('heading', { name: t('rating.question.pair') }).waitFor();
});

it('has more passages written, which can be cancelled', async () => {
  const { page } = await screens.open({ at });
  for (let rated = 48; rated < 60; rated++) {
    await isRated(page, String(rated));
    await page.keyboard.press('1');
  }
  await page.getByRole('button', { name: t('rating.more') }).click();
  // The demonstration never finishes so many.
  await page.getByRole('button', { name: t('app.cancel') }).click();
  await page.getByRole('button', { name: t('rating.begin.write') }).waitFor();
});
