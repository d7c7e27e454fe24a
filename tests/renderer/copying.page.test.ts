/** Copying a text: where the browser lets a page write to the clipboard, and where it does not. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { t } from '../../renderer/messages/index.js';
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

it.each([
  ['with the browser’s clipboard', 'available'],
  ['without it, as on an address that is not secure', 'missing'],
])('a project’s folder is copied %s', async (_title, clipboard) => {
  const { page } = await screens.open({ at: '/project/project_moby' });
  await page.evaluate((kind) => {
    const written: string[] = [];
    Object.assign(globalThis, { written });
    Object.defineProperty(navigator, 'clipboard', {
      value: kind === 'missing' ? undefined : { writeText: async (text: string) => void written.push(text) },
    });
    document.addEventListener('copy', () => written.push(String(document.getSelection())));
  }, clipboard);
  const copy = page.getByRole('button', { name: t('project.copyFolder') });
  const folder = await page.locator('header .font-mono').innerText();
  await copy.focus();
  // It is shown for two seconds.
  const notice = page.getByRole('button', { name: t('app.copied'), exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await notice;
  expect(await page.evaluate(() => (globalThis as unknown as { written: string[] }).written)).toEqual([folder]);
  await copy.waitFor();
  await expect.poll(() => copy.evaluate((button) => button === document.activeElement)).toBe(true);
});
