/**
 * The user guide's pictures, taken by the end-to-end run: always kept as artefacts, and put into docs/guide by
 * `npm run guide`. A picture that shows the same is left as it is, so that a run changes nothing in the checkout but what
 * has really changed: times, rates and a few digits differ with every run.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkout } from './app.js';
import { still } from './page.js';

const taken = join(checkout, 'tests/artifacts/guide');
const published = join(checkout, 'docs/guide');
/** Pixels that may differ before a picture is another one. */
const SAME = 0.02;

const size = { width: 1280, height: 820 };

/** @param hidden what no two runs have alike (the test's own folder), and what stands in its place */
export async function guidePicture(page: Page, name: string, hidden: Readonly<Record<string, string>>): Promise<void> {
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
  // `vitest --mode guide`
  if (process.env['MODE'] !== 'guide') return;
  mkdirSync(published, { recursive: true });
  const there = join(published, `${name}.png`);
  if (!existsSync(there) || (await differingShare(page, there, file)) > SAME) copyFileSync(file, there);
}

/** The share of pixels in which two pictures differ visibly; all of them when they differ in size. */
async function differingShare(page: Page, one: string, other: string): Promise<number> {
  const blank = await page.context().browser()?.newPage();
  if (!blank) throw new Error('the page belongs to no browser');
  try {
    const urls = [one, other].map((file) => `data:image/png;base64,${readFileSync(file).toString('base64')}`);
    return await blank.evaluate(async (sources) => {
      const pictures = await Promise.all(
        sources.map(async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [image.width, image.height];
          const context = canvas.getContext('2d');
          context?.drawImage(image, 0, 0);
          return context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
        }),
      );
      const [a = new Uint8ClampedArray(), b = new Uint8ClampedArray()] = pictures;
      if (a.length !== b.length) return 1;
      let differing = 0;
      for (let at = 0; at < a.length; at += 4) {
        const by = [0, 1, 2].reduce(
          (sum, channel) => sum + Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0)),
          0,
        );
        if (by > 48) differing++;
      }
      return differing / (a.length / 4);
    }, urls);
  } finally {
    await blank.close();
  }
}
