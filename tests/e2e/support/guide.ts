/**
 * The user guide's pictures, taken by the end-to-end run and put into docs/guide by `npm run guide`. All of them are of that one run, so that figures are the same wherever they appear.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkout } from './app.js';
import { still } from './page.js';

/** `vitest --mode guide` (vitest.config.ts): what is photographed goes into docs/guide. */
export const inGuide = process.env['VERISIM_GUIDE'] === '1';

const taken = join(checkout, 'tests/artifacts/guide');
const published = join(checkout, 'docs/guide');

const size = { width: 1280, height: 820 };

/** @param hidden what no two runs have alike (the test's own folder), and its replacement */
export async function guidePicture(page: Page, name: string, hidden: Readonly<Record<string, string>>): Promise<void> {
  if (!inGuide) return;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(size);
  // Nothing is pointed at.
  await page.mouse.move(0, 0);
  await page.evaluate((names) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      for (const [found, shown] of Object.entries(names)) {
        if (node.nodeValue?.includes(found)) node.nodeValue = node.nodeValue.replaceAll(found, shown);
      }
    }
  }, hidden);
  await still(page);
  mkdirSync(taken, { recursive: true });
  const file = join(taken, `${name}.png`);
  await page.screenshot({ path: file });
  await page.emulateMedia({ colorScheme: null });
  mkdirSync(published, { recursive: true });
  copyFileSync(file, join(published, `${name}.png`));
}
