/** The writing page: continuations at the cursor, one kept by key or cut short, undone, and what it costs to come back. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { natural } from '../../tools/demo/text.js';
import { startScreens, type Screens } from './screens.js';

let screens: Screens;
beforeAll(async () => {
  screens = await startScreens();
});
afterAll(() => screens.close());

async function open(): Promise<Page> {
  const { page } = await screens.open({ at: '/write' });
  await expect.poll(() => field(page).inputValue()).toBe(BEGINNING);
  return page;
}
const BEGINNING = 'The sea was calm that morning, and ';
const field = (page: Page) => page.getByRole('textbox', { name: 'Your text' });
const offers = (page: Page) => page.getByRole('region', { name: 'Continuations' });
const offered = (page: Page, number: number) =>
  offers(page)
    .getByRole('listitem')
    .nth(number - 1);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const chosen = (page: Page) => offers(page).getByText('Keep one with its number key');

async function write(page: Page) {
  await button(page, 'Continue').click();
  await chosen(page).waitFor();
}

it('continues by keys alone, and keeps the one that is chosen', async () => {
  const page = await open();
  await field(page).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Control+Enter');
  await chosen(page).waitFor();
  const second = await offered(page, 2).locator('.passage').innerText();
  expect(second.length).toBeGreaterThan(20);
  await page.keyboard.press('2');
  await offers(page).waitFor({ state: 'detached' });
  expect(await field(page).inputValue()).toBe(BEGINNING + second);
  await page.getByText('1 choice, stored').waitFor();
  // The field's own undo knows of it, and so does the button, with the choice.
  await expect.poll(() => field(page).evaluate((one) => one === document.activeElement)).toBe(true);
  await button(page, 'Undo insertion').click();
  await expect.poll(() => field(page).inputValue()).toBe(BEGINNING);
  await page.getByText('No choices yet').waitFor();
});

it.each([
  ['txt', 'One\nline\n\nMore'],
  ['md', 'One  \nline\n\nMore'],
  ['docx', 'PK'],
])('exports the text as .%s', async (ending, content) => {
  const page = await open();
  await field(page).fill('One\nline\n\nMore');
  await button(page, 'Export').click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: `.${ending}` }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(new RegExp(`^\\S.*\\.${ending}$`));
  const written = readFileSync(await download.path(), 'utf8');
  expect(ending === 'docx' ? written.slice(0, 2) : written).toBe(content);
});

it('inserts at the cursor, up to the word that was clicked', async () => {
  const page = await open();
  await field(page).evaluate((one) => (one as HTMLTextAreaElement).setSelectionRange(7, 7));
  await write(page);
  const [first = '', next = ''] = await offered(page, 1).locator('.passage span').allInnerTexts();
  await offered(page, 1).locator('.passage span').nth(1).click();
  await button(page, 'One word less').first().click();
  await offered(page, 1).getByRole('button', { name: 'Keep' }).click();
  await expect
    .poll(() => field(page).inputValue())
    .toBe(`${BEGINNING.slice(0, 7)}${first.trimEnd()}${BEGINNING.slice(7)}`);
  expect(next).not.toBe('');
});

it('offers others, and lets them all go', async () => {
  const page = await open();
  await write(page);
  await offered(page, 1).getByText('Most like your text').waitFor();
  const before = await offered(page, 1).innerText();
  await button(page, 'Other continuations').click();
  await expect.poll(() => offered(page, 1).innerText()).not.toBe(before);
  await chosen(page).waitFor();
  // What is copied is marked, and what is not is not.
  await offered(page, 3).locator('.copied-words').first().waitFor();
  expect(await offered(page, 1).locator('.copied-words').count()).toBe(0);
  await offers(page).focus();
  await page.keyboard.press('Escape');
  await offers(page).waitFor({ state: 'detached' });
  expect(await field(page).inputValue()).toBe(BEGINNING);
});

it('says what the choices show, and leaves out what the user does not want', async () => {
  const page = await open();
  for (const key of ['1', '2']) {
    await write(page);
    await page.keyboard.press(key);
    await offers(page).waitFor({ state: 'detached' });
  }
  const taste = page.getByRole('region', { name: 'What your choices show' });
  await taste.getByText('58%').waitFor();
  await taste.getByRole('button', { name: 'more dialogue' }).click();
  await expect.poll(() => taste.getByRole('listitem').allInnerTexts()).toEqual(['fewer repeats', 'more dialogue']);
  await taste.getByRole('button', { name: 'more dialogue' }).click();
  await expect.poll(() => taste.getByRole('listitem').allInnerTexts()).toEqual(['more dialogue', 'fewer repeats']);
  await button(page, 'Continue').click();
  await offered(page, 2).getByText('Your taste').waitFor();
});

it('writes by the rule that the sliders set', async () => {
  const page = await open();
  await button(page, 'How it writes').click();
  const words = async () => {
    await write(page);
    return offered(page, 1).locator('.passage span').allInnerTexts();
  };
  /** The share of a text's stretches of five characters that the natural text has. */
  const likeness = (pieces: readonly string[]) => {
    const [text = '', known = ''] = [pieces.join(''), natural].map((one) => one.replace(/\s/gu, ' '));
    const stretches = Array.from({ length: text.length - 5 }, (_, at) => text.slice(at, at + 5));
    return stretches.filter((one) => known.includes(one)).length / stretches.length;
  };
  const first = await words();
  expect(new Set(first).size).toBeLessThan(first.length);
  expect(likeness(first)).toBeLessThan(0.8);
  await page.getByRole('slider', { name: 'Min-p' }).fill('0.5');
  expect(likeness(await words())).toBeGreaterThan(0.9);
  await page.getByRole('slider', { name: 'Repetition penalty' }).fill('1.2');
  const second = await words();
  expect(new Set(second).size).toBe(second.length);
});

it('counts no choice while it is switched off', async () => {
  const page = await open();
  await page.getByRole('switch', { name: 'Remember my choices' }).click();
  await write(page);
  await page.keyboard.press('3');
  await offers(page).waitFor({ state: 'detached' });
  await page.getByText('No choices yet').waitFor();
});

it('shows a continuation token by token, by the arrow keys too', async () => {
  const page = await open();
  await write(page);
  const text = await offered(page, 1).locator('.passage').innerText();
  await offered(page, 1).getByRole('button', { name: 'Inspect tokens' }).click();
  const inspector = page.getByRole('region', { name: 'Token by token' });
  await inspector.getByText('natural up to here: 92%').waitFor();
  const tokens = inspector.locator('[data-token]');
  expect((await tokens.allInnerTexts()).join('').replaceAll('↵', '').slice(0, 9)).toBe(text.slice(0, 9));
  await inspector.getByRole('region', { name: 'Text in tokens' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await inspector.getByText('86.4% likely').waitFor();
  await inspector.getByRole('button', { name: 'Close' }).click();
  await inspector.waitFor({ state: 'detached' });
});

it('shows what is selected in the document, or else its paragraph', async () => {
  const page = await open();
  const inspected = page.getByRole('region', { name: 'Text in tokens' });
  await field(page).evaluate((one) => (one as HTMLTextAreaElement).setSelectionRange(4, 7));
  await page.getByRole('button', { name: 'Inspect tokens' }).click();
  await expect.poll(() => inspected.locator('[data-token]').count()).toBe(3);
  await field(page).evaluate((one) => (one as HTMLTextAreaElement).setSelectionRange(12, 12));
  await page.getByRole('button', { name: 'Inspect tokens' }).click();
  await expect.poll(() => inspected.locator('[data-token]').count()).toBe(12);
});

it.each(['Base model', 'Untrained model'])(
  'lets two models continue, each once and by its name: %s',
  async (second) => {
    const page = await open();
    await page.getByRole('combobox', { name: 'Second model' }).click();
    await page.getByRole('option', { name: second, exact: true }).click();
    await write(page);
    await offered(page, 1).getByText('Model after cycle 1').waitFor();
    await offered(page, 2).getByText(second).waitFor();
    expect(await offers(page).getByRole('listitem').count()).toBe(2);
    // A keyboard on the screen has keys without places.
    await page.locator(':focus').dispatchEvent('keydown', { key: '2', code: '' });
    await page.getByText('1 choice, stored').waitFor();
  },
);

it.each([
  [0, 'Model after cycle 1', 'Base model'],
  [1, 'Base model', 'Model after cycle 1'],
])('names two models only once one is kept, if they are blind: drawn %i', async (drawn, kept, other) => {
  const page = await open();
  await page.getByRole('combobox', { name: 'Second model' }).click();
  await page.getByRole('option', { name: 'Base model', exact: true }).click();
  await page.getByRole('switch', { name: 'Blind' }).click();
  await page.evaluate((value) => {
    crypto.getRandomValues = <T extends ArrayBufferView | null>(array: T): T => {
      if (array instanceof Uint32Array) array.fill(value);
      return array;
    };
  }, drawn);
  await write(page);
  expect(
    await offers(page)
      .getByText(/Base model|after cycle/)
      .count(),
  ).toBe(0);
  expect(await offered(page, 1).getByRole('button', { name: 'Inspect tokens' }).isDisabled()).toBe(true);
  await page.keyboard.press('1');
  await page.getByText(`Kept: ${kept}. The other one: ${other}.`).waitFor();
  await button(page, 'Undo insertion').click();
  await page.getByText(/^Kept: /).waitFor({ state: 'detached' });
});

it('tells projects of one name apart by their folders', async () => {
  const { page } = await screens.open({ at: '/write', scenario: 'alike' });
  await page.getByRole('combobox', { name: 'Project' }).click();
  for (const name of ['Moby-Dick (Moby-Dick)', 'Moby-Dick (Moby-Dick-2)'])
    await page.getByRole('option', { name, exact: true }).waitFor();
});
