/** Rating blind: by keys, one question at a time; back, skip, and what it comes to. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { de as german } from '../../renderer/strings/de.js';
import { strings } from '../../renderer/strings/index.js';
import { t } from '../../renderer/messages/index.js';
const words = strings.rating;
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

const at = '/project/project_shakespeare/rate';
const task = (page: Page, name: 'pair' | 'boundary' | 'single') =>
  page.getByRole('button', { name: words.tasks[name], exact: true }).click();
const isRated = (page: Page, count: string) => page.getByText(words.progress(count, '60'), { exact: true }).waitFor();

it('takes answers by keys, gives back the last, and lets one leave out a passage', async () => {
  const { page, watch } = await screens.open({ at });
  await task(page, 'single');
  const marked = page.locator('mark');
  await isRated(page, '48');
  expect(await page.getByRole('main').innerText()).not.toContain('base_model');
  const first = (await marked.textContent()) ?? '';
  // The focus is where the keys work, from the beginning and after each answer.
  await page.keyboard.press('n');
  await isRated(page, '49');
  const second = (await marked.textContent()) ?? '';
  expect(second).not.toBe(first);
  await page.keyboard.press('G');
  await isRated(page, '50');
  await page.keyboard.press('b');
  await isRated(page, '49');
  await expect.poll(() => marked.textContent()).toBe(second);
  await page.keyboard.press('s');
  await page.locator('mark').filter({ hasNotText: second }).waitFor();
  await isRated(page, '49');
  // With a modifier it is the system's or the browser's.
  await page.keyboard.press('Alt+n');
  await page.getByRole('button', { name: words.undo, exact: true }).click();
  await isRated(page, '48');
  await expect.poll(() => marked.textContent()).toBe(first);
  expect(watch.complaints).toEqual([]);
});

it('asks about pairs by 1, 2, 0 and 9, and takes back any earlier answer', async () => {
  const { page, watch } = await screens.open({ at });
  await isRated(page, '48');
  const texts = () => page.getByRole('article').allInnerTexts();
  const seen: string[][] = [];
  for (const [count, key] of ['1', '2', '0', '9'].entries()) {
    seen.push(await texts());
    await page.keyboard.press(key);
    await isRated(page, String(49 + count));
  }
  await page.getByRole('button', { name: words.history.title }).click();
  const answers = page.getByRole('main').getByRole('listitem');
  await answers.nth(3).waitFor();
  const said = [words.answers.both_bad, words.answers.tie, words.answers.second, words.answers.first];
  for (const [row, answer] of said.entries()) await expect.poll(() => answers.nth(row).innerText()).toContain(answer);
  // The second answer, not the last: its pair is asked again at once.
  await page.getByRole('button', { name: words.history.undo('2') }).click();
  await isRated(page, '51');
  await expect.poll(texts).toEqual(seen[1]);
  expect(await page.getByRole('main').innerText()).not.toContain('base_model');
  expect(watch.complaints).toEqual([]);
});

it('suggests a break after a while, once, and keeps answers and keys in sight', async () => {
  const { page, watch } = await screens.open({ at });
  await page.setViewportSize({ width: 1280, height: 640 });
  await isRated(page, '48');
  // Without scrolling, however long the two texts are.
  for (const answer of [words.answers.first, words.answers.both_bad]) {
    const lowestPoint = async () => {
      const shown = await page.getByRole('button', { name: answer, exact: true }).boundingBox();
      return (shown?.y ?? NaN) + (shown?.height ?? NaN);
    };
    // The page may still be as it was before its window was made less high.
    await expect.poll(lowestPoint).toBeLessThanOrEqual(640);
  }
  await page.keyboard.press('1');
  await isRated(page, '49');
  const rest = page.getByRole('status').filter({ hasText: words.rest.text('2', '31') });
  expect(await rest.count()).toBe(0);
  await page.evaluate((minutes) => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + minutes * 60_000;
  }, 31);
  await page.keyboard.press('2');
  await rest.waitFor();
  await rest.getByRole('button', { name: words.rest.later }).click();
  await rest.waitFor({ state: 'detached' });
  await page.keyboard.press('0');
  await isRated(page, '51');
  expect(await rest.count()).toBe(0);
  expect(watch.complaints).toEqual([]);
});

it('begins every line of buttons where other lines begin, however narrow the window is', async () => {
  const { page } = await screens.open({ at });
  await isRated(page, '48');
  const title = page.getByRole('main').getByRole('heading', { level: 2 }).first();
  const buttons = page.getByRole('button', { name: words.skip }).locator('..');
  /** Buttons that are the first in their lines, with the place where their words begin. */
  const first = () =>
    buttons.evaluate((row) =>
      [...row.querySelectorAll('button')].flatMap((button) => {
        const { top, bottom, left } = button.getBoundingClientRect();
        const isBefore = (other: DOMRect) =>
          other.width > 0 && other.left < left && other.top < bottom && other.bottom > top;
        if ([...row.children].some((other) => isBefore(other.getBoundingClientRect()))) return [];
        const text = document.createRange();
        text.selectNodeContents(button);
        return [{ name: button.innerText, at: text.getBoundingClientRect().left }];
      }),
    );
  const seen: string[] = [];
  for (const width of [1280, 420, 200]) {
    await page.setViewportSize({ width, height: 900 });
    const left = (await title.boundingBox())?.x ?? NaN;
    for (const { name, at } of await first()) {
      seen.push(name);
      expect(at, `${name} at ${String(width)}`).toBeCloseTo(left, 0);
    }
  }
  for (const name of [words.skip, words.undo, words.results]) expect(seen.join()).toContain(name);
});

it('speaks German where the system does, of what people prefer as well', async () => {
  const { page } = await screens.open({ at, system: 'de-DE' });
  await page.getByRole('button', { name: german.rating.results }).click();
  const { people_see_no_difference } = german.rating.pairs.said.alarm;
  await page.getByText(people_see_no_difference('„Modell nach Zyklus 1“', '„Basismodell“')).waitFor();
  await page.getByText(/^Noch unentschieden: Etwa \d+ weitere Stimmen/).waitFor();
});

it('finds a boundary by the arrow keys, and says each word to a screen reader', async () => {
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
  await page.getByText(words.boundary.word(word, '3', String(count)), { exact: true }).waitFor({ state: 'attached' });
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
  await page.getByRole('button', { name: words.results }).click();
  await page.getByRole('listitem').filter({ hasText: 'Reward model of cycle 1' }).waitFor();
  expect(watch.complaints).toEqual([]);
});

it('says what people prefer, beside the reward and what is copied, and that the two disagree', async () => {
  const { page, watch } = await screens.open({ at });
  await page.getByRole('button', { name: words.results }).click();
  await page.getByText(words.pairs.alarm).waitFor();
  await page.getByRole('table').first().getByText('Model after cycle 1').waitFor();
  await page.getByRole('heading', { name: words.trust.title }).waitFor();
  await page.getByText(words.pairs.copying).waitFor();
  expect(watch.complaints).toEqual([]);
});

it('says at the end what single answers come to, beside what the reward model says', async () => {
  const { page } = await screens.open({ at });
  await task(page, 'single');
  await page.locator('mark').waitFor();
  await page.getByRole('button', { name: words.results }).click();
  const table = page.getByRole('table');
  await table.getByText('Model after cycle 1').waitFor();
  await page.getByText(words.report.verdict('better', '“Base model”', '“Model after cycle 1”')).waitFor();
  await table.getByText('58%', { exact: true }).waitFor();
  await page.getByText(words.report.agreement('68%', '41%')).waitFor();
  await page.getByRole('button', { name: words.report.goOn('12') }).click();
  await page.locator('mark').waitFor();
});

it('plans a study before it begins, and has the passages written, which can be given up', async () => {
  const { page } = await screens.open({ at: '/project/project_moby' });
  await page.getByRole('link', { name: words.short }).click();
  await page.getByText(/^About \d+ votes find such a difference/).waitFor();
  const plan = () => page.getByText(/^About \d+ votes/).innerText();
  const easy = await plan();
  await page.getByRole('button', { name: words.begin.designShare('60%') }).click();
  await page.getByText(easy, { exact: true }).waitFor({ state: 'detached' });
  // One of a few numbers: which one is chosen is told to a screen reader, and by keyboard another one is.
  const shares = page.getByRole('group', { name: words.begin.design });
  await expect.poll(() => shares.count()).toBe(1);
  const pressed = shares.locator('[aria-pressed=true]');
  await expect.poll(() => pressed.allInnerTexts()).toEqual([words.begin.designShare('60%')]);
  const other = shares.getByRole('button', { pressed: false }).first();
  const name = await other.innerText();
  await other.press('Space');
  await expect.poll(() => pressed.allInnerTexts()).toEqual([name]);
  // The demonstration never comes to an end with so many.
  await page.getByRole('button', { name: '100', exact: true }).click();
  await page.getByRole('button', { name: words.begin.write }).click();
  await page.getByRole('button', { name: t('app.cancel') }).click();
  await page.getByRole('button', { name: '50', exact: true }).click();
  await page.getByRole('button', { name: words.begin.write }).click();
  await page.getByRole('heading', { name: words.question.pair }).waitFor();
});
