/** The keyboard alone, on every screen beyond the wizard: everything is reached, is seen to be, and what goes leaves the focus somewhere. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());
const at = async (place: string, more: object = {}): Promise<Page> => (await screens.open({ at: place, ...more })).page;
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** What has the focus, as a screen reader would call it; BODY where nothing has. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    if (!element || element === document.body) return 'BODY';
    return (element.getAttribute('aria-label') ?? element.textContent ?? '').trim() || element.tagName;
  });
const isFocused = (page: Page, name: string | RegExp) =>
  expect.poll(() => focused(page)).toEqual(typeof name === 'string' ? name : expect.stringMatching(name));
/** On the page, once what goes is gone. */
async function somewhere(page: Page): Promise<void> {
  await page.waitForTimeout(100);
  await expect.poll(() => focused(page)).not.toBe('BODY');
}

async function press(target: Locator, key = 'Enter'): Promise<void> {
  await target.waitFor();
  await target.focus();
  await target.page().keyboard.press(key);
}
/** By the keys, from its button. */
async function choose(page: Page, menu: string, item: string): Promise<void> {
  await press(button(page, menu));
  const entry = page.getByRole('menuitem', { name: item, exact: true });
  await entry.waitFor();
  await page.locator('[role=menuitem]:focus').waitFor();
  for (let pressed = 0; pressed < 20; pressed++) {
    if (await entry.evaluate((one) => one === document.activeElement)) break;
    const before = await focused(page);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).not.toBe(before);
  }
  await page.keyboard.press('Enter');
}

describe('what had the focus goes, and the focus stays on the page', () => {
  it('a project that is deleted, and comes back by the message or from the list', async () => {
    const page = await at('/');
    await choose(page, 'Actions for Tiny Shakespeare', 'Delete');
    await page.getByRole('link', { name: 'Tiny Shakespeare', exact: true }).waitFor({ state: 'detached' });
    await isFocused(page, 'Actions for Case law 1950–1970');
    await choose(page, 'Actions for Recipes', 'Delete');
    await page.getByRole('link', { name: 'Recipes', exact: true }).waitFor({ state: 'detached' });
    await isFocused(page, 'Actions for Case law 1950–1970');
    await press(button(page, 'Undo').first());
    await expect.poll(() => button(page, 'Deleted projects (1)').count()).toBe(1);
    await expect.poll(() => focused(page)).not.toBe('BODY');
    await press(button(page, 'Deleted projects (1)'));
    await press(page.getByRole('button', { name: /^Restore / }));
    await page.getByRole('button', { name: /^Deleted projects/ }).waitFor({ state: 'detached' });
    await somewhere(page);
  });

  it('a project that is taken out of a comparison, to the last; and a report of it that is saved', async () => {
    const page = await at('/compare?runs=project_moby,project_shakespeare,project_recipes');
    await press(button(page, 'Save a report'));
    await page
      .getByText(/saved|Saved/)
      .first()
      .waitFor();
    await isFocused(page, 'Save a report');
    await press(button(page, 'Remove Tiny Shakespeare'));
    await isFocused(page, 'Remove Recipes');
    await page.keyboard.press('Enter');
    await isFocused(page, 'Remove Moby-Dick');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing to compare yet').waitFor();
    await somewhere(page);
  });

  it('a button that becomes another: pause, resume; the way back from a zoom', async () => {
    const page = await at('/project/project_moby?show=0');
    await press(button(page, 'Pause'));
    await isFocused(page, 'Resume');
    await page.keyboard.press('Enter');
    await isFocused(page, 'Pause');
    const chart = page.getByRole('img', { name: /^Nats per character\. training: / });
    await chart.focus();
    await page.keyboard.press('+');
    const back = page.getByRole('button', { name: 'Reset zoom' }).first();
    await back.waitFor();
    // AZERTY types a letter with the key of 0.
    await chart.dispatchEvent('keydown', { key: 'à', code: 'Digit0' });
    await back.waitFor({ state: 'detached' });
    await chart.focus();
    await page.keyboard.press('+');
    await press(back);
    await back.waitFor({ state: 'detached' });
    await somewhere(page);
  });

  it('a draft, a search without an answer, a comparison that is not made', async () => {
    const page = await at('/');
    await press(button(page, 'Discard Sonnets'));
    await button(page, 'Discard Sonnets').waitFor({ state: 'detached' });
    await somewhere(page);
    await page.getByRole('searchbox').fill('zzz');
    await press(button(page, 'Show all projects'));
    await button(page, 'Show all projects').waitFor({ state: 'detached' });
    await somewhere(page);
    await choose(page, 'Actions for Recipes', 'Compare with…');
    await press(page.getByRole('status').getByRole('button', { name: 'Cancel' }));
    await page.getByText(/^Choose the project/).waitFor({ state: 'detached' });
    await somewhere(page);
  });

  it('an export that is written, in every form', async () => {
    const page = await at('/project/project_shakespeare?show=all');
    await press(button(page, 'Export'));
    const dialog = page.getByRole('dialog', { name: 'Export' });
    const kinds = dialog.getByRole('button', { name: /^(Export|Save as…) ./ });
    await kinds.first().waitFor();
    const saved = dialog.getByText(/^Saved: /);
    for (const [before, kind] of (await kinds.all()).entries()) {
      await press(kind);
      // It stays open, and says where it is.
      await expect.poll(() => saved.count()).toBe(before + 1);
      await expect.poll(() => focused(page)).toMatch(/^(Export|Save as…) /);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await isFocused(page, 'Export');
  });

  it('pairs that are rated, taken back and looked at', async () => {
    const page = await at('/project/project_shakespeare/rate');
    await page.getByRole('heading', { name: 'Which continues the text better?' }).waitFor();
    const rated = async (key: string) => {
      const before = await page.getByText(/ rated$/).innerText();
      await page.keyboard.press(key);
      await expect.poll(() => page.getByText(/ rated$/).innerText()).not.toBe(before);
      await isFocused(page, /./);
    };
    for (const key of ['1', '2', '0', '9', 'b']) await rated(key);
    await press(button(page, 'Results'));
    await page.getByText('Preference').waitFor();
    // All of the screen is another one: it is read from its beginning, and no button of it is about to be pressed.
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('content');
  });
});

it('the look is one stop, and the arrow keys choose', async () => {
  const page = await at('/');
  const look = page.getByRole('radiogroup', { name: 'Theme' });
  await look.getByRole('radio', { checked: true }).focus();
  await page.keyboard.press('ArrowRight');
  await look.getByRole('radio', { name: 'Light', checked: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await isFocused(page, 'Dark');
  await page.locator('html.dark').waitFor({ state: 'attached' });
  await page.keyboard.press('Tab');
  await expect.poll(() => look.locator(':focus').count()).toBe(0);
});

it.each([
  ['/', 'Tiny Shakespeare'],
  ['/compare?runs=project_moby,project_shakespeare', 'All metrics: GRPO'],
  ['/project/project_shakespeare?show=all', 'Samples by model'],
  ['/project/project_moby?show=2', 'Completions'],
  ['/project/project_shakespeare/rate', 'Which continues the text better'],
  ['/write', 'Remember my choices'],
  ['/settings', 'Default project folder'],
])('on %s every stop has a name and shows the focus', async (place, shows) => {
  const page = await at(place);
  await page.getByText(shows).first().waitFor();
  // From then on the browser shows the focus.
  await page.keyboard.press('Tab');
  const faults = await page.evaluate(() => {
    const stops = [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], [tabindex="0"], :is(button, input, select, textarea):enabled',
      ),
    ].filter((one) => one.tabIndex >= 0 && one.getClientRects().length > 0);
    const rings = (one: HTMLElement) =>
      [getComputedStyle(one), getComputedStyle(one, '::after')].map(
        ({ outlineStyle, outlineWidth, boxShadow }) => `${outlineStyle === 'none' ? '' : outlineWidth} ${boxShadow}`,
      );
    const found: string[] = [];
    for (const one of stops) {
      (document.activeElement as HTMLElement | null)?.blur();
      const before = rings(one).join();
      one.focus();
      // It may be another by then: what is costly is made when it is come to.
      const now = document.activeElement as HTMLElement;
      const name = now.ariaLabel ?? (now as HTMLInputElement).labels?.[0]?.textContent ?? now.textContent;
      if (!name?.trim() && !now.getAttribute('aria-labelledby'))
        found.push(`without a name: ${now.outerHTML.slice(0, 200)}`);
      if (rings(now).join() === before) found.push(`not seen: ${name?.trim().slice(0, 60)}`);
    }
    return { found, stops: stops.length };
  });
  expect(faults.stops).toBeGreaterThan(8);
  expect(faults.found).toEqual([]);
});

it('what waits is moved up in the queue', async () => {
  const page = await at('/');
  await choose(page, 'Actions for Recipes', 'Resume');
  const waiting = () => page.getByRole('region', { name: 'Queue' }).getByRole('link').allInnerTexts();
  await expect.poll(waiting).toEqual(['Moby-Dick', 'Letters of my grandmother', 'Recipes']);
  await press(button(page, 'Move Recipes up'));
  await expect.poll(waiting).toEqual(['Moby-Dick', 'Recipes', 'Letters of my grandmother']);
});
