/** What the tests ask of a page, in Electron and in a browser alike. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

/**
 * Flags of a browser for tests that measure no page: the compilers that take seconds to make what runs for minutes faster earn
 * nothing there; nor does drawing as a graphics card would.
 */
export const QUICK = ['--disable-gpu', '--js-flags=--no-maglev,--no-turbofan'] as const;

export interface PageWatch {
  /** Errors and warnings of the console, exceptions, refusals by the content security policy. */
  readonly complaints: string[];
}

export function watchPage(page: Page): PageWatch {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error.message}`));
  page.on('crash', () => complaints.push('the page crashed'));
  return { complaints };
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly string[];
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * While a message is shown, the library's region for messages begins and ends with an empty element that hands the
 * keyboard's focus on at once, to the message or to what follows. It never has the focus for long, which axe cannot see.
 */
const FOCUS_SENTINELS = '[role="region"] > span[aria-hidden="true"][tabindex="0"]:empty';

/** What axe finds that is serious or critical, and still finds when it looks again: a colour may be on its way to another. */
export async function seriousFindings(page: Page): Promise<readonly Finding[]> {
  await still(page);
  // Evaluated over the debugging protocol, which the content security policy does not touch; once in a page.
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  if (!isThere) await page.evaluate(`${axeSource}; undefined`);
  const found = await runAxe(page);
  if (found.length === 0) return found;
  await still(page);
  return runAxe(page);
}

const runAxe = (page: Page): Promise<readonly Finding[]> =>
  page.evaluate(async (focusSentinels) => {
    type Axe = {
      run(
        context: object,
        options: object,
      ): Promise<{ violations: { id: string; impact: string; help: string; nodes: { html: string }[] }[] }>;
    };
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run({ exclude: [focusSentinels] }, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.slice(0, 5).map(({ html }) => html) }));
  }, FOCUS_SENTINELS);

export const themes = ['light', 'dark'] as const;
export const widths = [1000, 1600] as const;

/** Waits until changes are painted, colour transitions included, but not for endless animations. */
export const still = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    const animations = Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    await Promise.race([animations, new Promise((done) => setTimeout(done, 500))]);
    await frame();
    // Charts are drawn one after the other, in the time that is left.
    while (document.querySelector('.chart-plot[aria-busy="true"]')) await frame();
  });

/** A picture need not be higher than this to show what a screen is like. */
const HIGHEST = 2600;

/** `npm run pictures`: they prove nothing by themselves, and take a quarter of the time. */
const isLookedAt = process.env['VERISIM_PICTURES'] !== undefined;

async function take(page: Page, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await page.screenshot({ path: file });
}

/** Takes a picture of the page into tests/artifacts, if pictures are wanted. */
export async function picture(page: Page, file: string): Promise<void> {
  if (isLookedAt) await take(page, file);
}

/** What was on the page when a test failed. */
export const pictureOfFailure = (page: Page, folder: string, test: string): Promise<void> =>
  take(page, join(folder, 'failed', `${test}.png`));

/**
 * Each theme and width, as high as what is on the page; in a picture of its own if pictures are wanted:
 * `folder`/`name`-light-1000.png, … Otherwise only for another check: each width has one of the themes, and the last one all of the page.
 * @param look another check of the page at that size
 */
export async function pictures(page: Page, folder: string, name: string, look?: () => Promise<void>): Promise<void> {
  if (!isLookedAt && !look) return;
  for (const [at, width] of widths.entries()) {
    const least = Math.round(width * 0.64);
    await page.setViewportSize({ width, height: least });
    // All of a page is drawn where there is a picture of it, and at the last size, at which axe looks at it.
    if (isLookedAt || at === widths.length - 1) {
      const content = await page.evaluate(() => document.getElementById('content')?.scrollHeight ?? 0);
      await page.setViewportSize({ width, height: Math.min(HIGHEST, Math.max(least, content)) });
    }
    for (const theme of isLookedAt ? themes : themes.slice(at, at + 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html.${theme}`).waitFor({ state: 'attached' });
      await still(page);
      await picture(page, join(folder, `${name}-${theme}-${width}.png`));
      await look?.();
    }
  }
  await page.emulateMedia({ colorScheme: null });
}
