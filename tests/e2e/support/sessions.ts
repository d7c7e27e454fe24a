/** What a recorded session needs, in Electron and in Chromium alike: the keyboard, pictures, a place where files are saved. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { artifacts, endApp, makeFolders, openApp, removeFolders } from './app.js';
import { misfits } from './fits.js';
import { picture, seriousFindings, still, themes, type PageWatch } from './page.js';
import { openServed } from './served.js';

export const programs = ['chromium', 'electron'] as const;
export type Program = (typeof programs)[number];

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Session {
  readonly page: Page;
  readonly watch: PageWatch;
  /** Holds what a person would have on the disk. */
  readonly folder: string;
  /** Makes the window as large; null: as large as it was opened. */
  resize(size: Size | null): Promise<void>;
  /** The file that a save comes to, however the program asks where. @param save what makes it ask */
  saved(name: string, save: () => Promise<void>): Promise<string>;
  close(): Promise<void>;
}

export async function openSession(program: Program): Promise<Session> {
  if (program === 'chromium') {
    const served = await openServed();
    const { page, watch, folder } = served;
    const usual = page.viewportSize();
    return {
      ...{ page, watch, folder },
      async resize(size) {
        const to = size ?? usual;
        if (to !== null) await page.setViewportSize(to);
      },
      async saved(_name, save) {
        const fetched = page.waitForEvent('download', { timeout: 150_000 });
        await save();
        return (await fetched).path();
      },
      close: () => served.close(),
    };
  }
  const folders = makeFolders();
  const app = await openApp(folders);
  const usual = await app.page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
  return {
    ...{ page: app.page, watch: app.watch, folder: folders.all },
    async resize(size) {
      const to = size ?? usual;
      await app.electron.evaluate(({ BrowserWindow }, content) => {
        BrowserWindow.getAllWindows()[0]?.setContentSize(content.width, content.height);
      }, to);
      await app.page.waitForFunction(({ width }) => innerWidth === width, to);
    },
    async saved(name, save) {
      const filePath = join(folders.all, name);
      await app.electron.evaluate(({ dialog }, path) => {
        dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path });
      }, filePath);
      await save();
      return filePath;
    },
    async close() {
      await endApp(app);
      removeFolders(folders);
    },
  };
}

/** Of a window: as narrow as it can be made, and on the largest screens. */
const widths = [900, 1600, 3840];

/**
 * Pictures of a screen in both themes, at every width, in a folder under tests/artifacts/e2e/sessions that is named after the
 * program first; what axe says of it, and what does not fit.
 */
export async function record(session: Session, folder: string, name: string): Promise<readonly object[]> {
  const { page } = session;
  const found: object[] = [];
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html.${theme}`).waitFor({ state: 'attached' });
    for (const width of widths) {
      await session.resize({ width, height: Math.round(Math.max(700, width * 0.56)) });
      await still(page);
      await picture(page, join(artifacts, 'sessions', folder, `${name}-${theme}-${width}.png`));
      for (const one of await misfits(page)) found.push({ screen: name, theme, width, ...one });
    }
    for (const one of await seriousFindings(page)) found.push({ screen: name, theme, ...one });
  }
  await page.emulateMedia({ colorScheme: null });
  await session.resize(null);
  // To be read as a text, where every word is.
  writeFileSync(join(artifacts, 'sessions', folder, `${name}.txt`), await page.locator('body').innerText());
  return found;
}

/** With the keyboard alone: on with Tab until it has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < 150; pressed++) {
    if (await target.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the keyboard does not get there');
}

export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** One of a group of choices, which the arrow keys go through. */
export async function pick(page: Page, choice: Locator): Promise<void> {
  await choice.waitFor();
  await tabTo(page, choice.locator('xpath=ancestor::*[@role="radiogroup"]').locator('[role="radio"][tabindex="0"]'));
  for (let pressed = 0; pressed < 20; pressed++) {
    if ((await choice.getAttribute('aria-checked')) === 'true') return;
    await page.keyboard.press('ArrowRight');
  }
  throw new Error('the arrow keys do not get there');
}

/** From a menu that a button opens. */
export async function choose(page: Page, button: Locator, choice: string | RegExp): Promise<void> {
  await press(page, button);
  const item = page.getByRole('menuitem', { name: choice }).first();
  await item.waitFor();
  for (let pressed = 0; pressed < 40; pressed++) {
    if (await item.evaluate((one) => one === document.activeElement)) return page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
  }
  throw new Error('the arrow keys do not get there');
}

/** Somewhere on the page, where it is seen and read out, once what has changed is drawn. */
export async function hasFocus(page: Page): Promise<void> {
  const isHeld = () => page.evaluate(() => document.activeElement !== document.body && document.hasFocus());
  for (let time = 0; time < 40; time++) {
    if (await isHeld()) return;
    await page.waitForTimeout(50);
  }
  throw new Error('the focus is lost: the page’s body has it');
}
