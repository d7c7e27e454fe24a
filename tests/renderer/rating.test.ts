/** Rating blind: by keys, one passage at a time; back, skip, and what it comes to. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { strings } from '../../renderer/strings/index.js';
import { startScreens, type Screens } from './screens.js';

const words = strings.rating;
let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

it('takes answers by keys, gives back the last, and lets one leave out a passage', async () => {
  const { page, watch } = await screens.open({ at: '/project/project_shakespeare/rate' });
  const marked = page.locator('mark');
  const isRated = (count: string) => page.getByText(words.progress(count, '60'), { exact: true }).waitFor();
  await isRated('48');
  expect(await page.getByRole('main').innerText()).not.toContain('base_model');
  const first = (await marked.textContent()) ?? '';
  // The focus is where the keys work, from the beginning and after each answer.
  await page.keyboard.press('n');
  await isRated('49');
  const second = (await marked.textContent()) ?? '';
  expect(second).not.toBe(first);
  await page.keyboard.press('G');
  await isRated('50');
  await page.keyboard.press('b');
  await isRated('49');
  expect(await marked.textContent()).toBe(second);
  await page.keyboard.press('s');
  await page.locator('mark').filter({ hasNotText: second }).waitFor();
  await isRated('49');
  // With a modifier it is the system's or the browser's.
  await page.keyboard.press('Alt+n');
  await page.getByRole('button', { name: words.undo }).click();
  await isRated('48');
  expect(await marked.textContent()).toBe(first);
  expect(watch.complaints).toEqual([]);
  await page.close();
});

it('says at the end what it comes to, beside what the reward model says', async () => {
  const { page } = await screens.open({ at: '/project/project_shakespeare/rate' });
  await page.locator('mark').waitFor();
  await page.getByRole('button', { name: words.results }).click();
  const table = page.getByRole('table');
  await table.getByText('base_model_v2').waitFor();
  await page.getByText(words.report.verdict('better', 'base_model_v1', 'base_model_v2')).waitFor();
  await table.getByText('58%', { exact: true }).waitFor();
  await page.getByText(words.report.agreement('68%', '41%')).waitFor();
  await page.getByRole('button', { name: words.report.goOn('12') }).click();
  await page.locator('mark').waitFor();
  await page.close();
});

it('has the passages written first, which can be given up', async () => {
  const { page } = await screens.open({ at: '/project/project_moby' });
  await page.getByRole('link', { name: words.short }).click();
  // The demonstration never comes to an end with so many.
  await page.getByRole('button', { name: '100', exact: true }).click();
  await page.getByRole('button', { name: words.begin.write }).click();
  await page.getByRole('button', { name: strings.app.cancel }).click();
  await page.getByRole('button', { name: '50', exact: true }).click();
  await page.getByRole('button', { name: words.begin.write }).click();
  await page.locator('mark').waitFor();
  await page.close();
});
