/**
 * A language is one file: English with every letter accented is added to a copy of the program, and window, terminal and
 * report then show no English message.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import english from '../../resources/locales/en.json' with { type: 'json' };
import { commands } from '../../main/cli/commands/index.js';
import { commandHelp } from '../../main/cli/help.js';
import { setLanguage } from '../../main/cli/language.js';
import { createStyle } from '../../main/cli/style.js';
import { addCatalogues } from '../../shared/messages/catalogue.js';
import { writeText } from '../cli/program.js';
import { temporaryFolder } from '../jobs/context.js';
import { makeReportedProject } from '../support/reported-project.js';
import { startScreens, type Screens } from './screens.js';

const root = join(import.meta.dirname, '../..');
/** Esperanto, which the system can name and count in. */
const ADDED = 'eo';
const ACCENTED = new Map(
  [...'áƀćđéƒǵĥíĵķĺɱńóṕʠŕśťúṽŵẋýźÁɃĆĐÉƑǴĤÍĴĶĹṀŃÓṔɊŔŚŤÚṼŴẊÝŹ'].map((to, at) => [
    'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'[at],
    to,
  ]),
);
const accented = (text: string) => [...text].map((letter) => ACCENTED.get(letter) ?? letter).join('');

/** Accents what is text, not parameters, tags and what they name. */
const inAccents = (elements: readonly MessageFormatElement[]): MessageFormatElement[] =>
  elements.map((element) => {
    if (element.type === TYPE.literal) return { ...element, value: accented(element.value) };
    if (element.type !== TYPE.select && element.type !== TYPE.plural) return element;
    const options = Object.entries(element.options).map(([name, option]) => [
      name,
      { ...option, value: inAccents(option.value) },
    ]);
    return { ...element, options: Object.fromEntries(options) as typeof element.options };
  });

const translated = Object.fromEntries(
  Object.entries(english).map(([code, text]) => [code, printAST(inAccents(parse(text)))]),
);
const home = temporaryFolder();
const copy = join(home, 'program');
let screens: Screens;
const run = promisify(execFile);
const verisim = async (...args: readonly string[]) => {
  const env = { ...process.env, CI: '', VITEST: '', LC_ALL: `${ADDED}.UTF-8`, NO_COLOR: '1', COLUMNS: '1000' };
  return (await run(process.execPath, [join(copy, 'dist/cli.js'), ...args], { env, cwd: home })).stdout;
};

beforeAll(async () => {
  for (const name of ['renderer', 'shared', 'tools/demo', 'resources', 'dist', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, `resources/locales/${ADDED}.json`), JSON.stringify(translated));
  const page = join(home, 'page');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await run(process.execPath, [vite, 'build', join(copy, 'renderer'), '--outDir', page], {
    cwd: copy,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  screens = await startScreens({ built: page });
});
afterAll(async () => {
  await screens.close();
  rmSync(home, { recursive: true, force: true });
});

const literalsOf = (elements: readonly MessageFormatElement[]): string[] =>
  elements.flatMap((element) => {
    if (element.type === TYPE.literal) return [element.value.trim()];
    if (element.type !== TYPE.select && element.type !== TYPE.plural) return [];
    return Object.values(element.options).flatMap(({ value }) => literalsOf(value));
  });
/** Without names of books and examples of commands. */
const texts = Object.entries(english).flatMap(([code, text]) => (/sampleNames|--/.test(code + text) ? [] : [text]));
const pieces = texts.flatMap((text) => literalsOf(parse(text, { ignoreTag: true })));
/** Pieces of messages that no text of a user has by chance. */
const phrases = pieces.filter((piece) => piece.length > 11 && /\p{L}{3,}.* .*\p{L}{3,}/u.test(piece));
const messages = new Set(texts.filter((text) => /^\p{Lu}\p{L}{3,}/u.test(text)));
/** English messages among texts: within one of them, or as a whole. */
const englishIn = (texts: readonly string[]): string[] => [
  ...phrases.filter((phrase) => texts.some((text) => text.includes(phrase))),
  ...texts.filter((text) => messages.has(text.trim())),
];

/** All that is read on a page, by eyes or by a screen reader. */
const readOn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const names = ['aria-label', 'title', 'placeholder', 'aria-valuetext'];
    const found = [document.title];
    for (const one of document.querySelectorAll('*')) {
      found.push(...names.map((name) => one.getAttribute(name) ?? ''));
      for (const node of one.childNodes) if (node.nodeType === Node.TEXT_NODE) found.push(node.nodeValue ?? '');
    }
    return found;
  });

it.each([
  '/',
  '/new/draft_model/begin',
  '/new/draft_first/model',
  '/new/draft_first/review',
  '/project/project_shakespeare?show=all',
  '/project/project_moby?show=2',
  '/compare?runs=project_moby,project_shakespeare',
  '/project/project_shakespeare/rate',
  '/write',
  '/settings',
])('the window has no English on %s', async (at) => {
  const { page } = await screens.open({ at, system: ADDED });
  await page.locator(`html[lang=${ADDED}]`).waitFor();
  await page.getByRole('heading').first().waitFor();
  await page.waitForTimeout(500);
  const read = await readOn(page);
  expect(read.join()).toMatch(/[áéíóú]/);
  expect(englishIn(read)).toEqual([]);
});

it('the settings offer it by its own name', async () => {
  const { page } = await screens.open({ at: '/settings' });
  await page.locator('#set-language').click();
  await page.getByRole('option', { name: 'Esperanto' }).click();
  await page.getByRole('heading', { name: accented(english['settings.title']), exact: true }).waitFor();
});

it('the terminal has no English in its helps', async () => {
  const printed = [await verisim('--help'), await verisim('cycle', '--help')];
  // The others as the program makes them, without a process for each.
  addCatalogues({ [ADDED]: translated });
  setLanguage(ADDED);
  const style = createStyle(false);
  for (const help of [...printed, ...commands.map((command) => commandHelp(command, style))]) {
    expect(help).toMatch(/[áéíóú]/);
    expect(englishIn(help.split(/\n| {2,}/))).toEqual([]);
  }
});

it('a report has no English', async () => {
  const project = join(home, 'book');
  mkdirSync(home, { recursive: true });
  await makeReportedProject(project, { text: writeText(home), cycles: 2 });
  const file = join(home, 'report.html');
  await verisim('report', project, '--file', file, '--language', ADDED);
  const html = readFileSync(file, 'utf8');
  expect(html).toContain(`lang="${ADDED}"`);
  const texts = html.replaceAll(/<(script|style)[^]*?<\/\1>/g, '').split(/<[^>]*>/);
  expect(englishIn(texts)).toEqual([]);
});
