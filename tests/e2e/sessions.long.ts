/**
 * `npm run sessions`: what people come for, from the first click to the last figure, by keyboard alone, in Electron and in
 * Chromium, in English and in German: the sample, a text of one's own, a failure and its way out, a comparison, a report,
 * every export, a fork, the trash, pairs that are rated.
 * Each screen is photographed (tests/artifacts/e2e/sessions), examined by axe, and looked through for what does not fit. One of the four: `npm run sessions -- -t "chromium in de"`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sampleTextPath } from '../../main/installation/locations.mjs';
import { speak, strings } from '../../renderer/strings/index.js';
import { exportFormats } from '../../shared/config/export-formats.js';
import { languageNames } from '../../shared/language.js';
import { artifacts, endApp, makeFolders, openApp, removeFolders } from './support/app.js';
import { keepFigures } from './support/figures.js';
import { picture } from './support/page.js';
import { choose, hasFocus, openSession, pick, press, programs, record, type Session } from './support/sessions.js';
import { card, dropFiles, dropZone, goToStep, kept, typeSetting } from './support/wizard.js';

const long = 300_000;

/** A cycle in a minute or two, on a text of 200 kB. */
const small = {
  model: { max_iters: 120, eval_interval: 40, eval_iters: 4 },
  reward: { reward_train_samples: 200, reward_val_samples: 100, reward_max_iters: 60, reward_eval_interval: 20 },
  grpo: { prompts_per_step: 2, group_size: 4, grpo_max_steps: 8, grpo_eval_prompts: 16, max_cycles: 1 },
} as const;

const sessions = programs.flatMap((program) => (['en', 'de'] as const).map((language) => [program, language] as const));

describe.each(sessions)('%s in %s', (program, language) => {
  let session: Session;
  /** Taken when they are needed: in the language of the session that runs. */
  const said = () => ({ home: strings.home, words: strings.project, wizard: strings.wizard });
  const findings: object[] = [];
  const look = async (name: string) => {
    const found = await record(session, `${program}-${language}`, name);
    for (const one of found) console.log(JSON.stringify(one));
    findings.push(...found);
  };
  const button = (name: string | RegExp) => session.page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string | RegExp) => session.page.getByRole('link', { name }).first();
  const go = (hash: string) =>
    session.page.evaluate((to) => {
      location.hash = to;
    }, hash);
  const reaches = (state: keyof typeof strings.states) =>
    session.page
      .getByRole('main')
      .locator('.chip')
      .filter({ hasText: new RegExp(`^${strings.states[state]}$`) })
      .first()
      .waitFor({ timeout: 4 * long });

  beforeAll(async () => {
    speak('en');
    session = await openSession(program);
  }, long);
  afterAll(() => session.close());
  let failed: string | null = null;
  beforeEach(({ task, onTestFailed }) => {
    // Each goes on from the one before.
    if (failed !== null) throw new Error(`Not tried: “${failed}” failed before it.`);
    onTestFailed(() => {
      failed = task.name;
    });
  });

  test('the language, chosen in the settings', { timeout: long }, async () => {
    const { page } = session;
    await go('/settings');
    // English too: the system may speak something else.
    for (const chosen of ['en', language] as const) {
      await press(page, page.locator('#set-language'));
      await page.getByRole('option', { name: languageNames[chosen], exact: true }).waitFor();
      await page.keyboard.type(languageNames[chosen]);
      await page.keyboard.press('Enter');
      speak(chosen);
      await page.getByRole('heading', { name: strings.settings.title, exact: true }).waitFor();
      await page.getByRole('option').first().waitFor({ state: 'detached' });
    }
    await look('settings');
  });

  test('the sample: words on the page, soon after the start', { timeout: 2 * long }, async () => {
    const { page } = session;
    const { home, words } = said();
    await go('/');
    await page.getByText(home.emptyTitle).waitFor();
    await look('sample-1-home');
    await press(page, button(home.sampleScratch));
    const clicked = performance.now();
    await reaches('running');
    const started = performance.now();
    await page.getByText(words.samplesOverTime.title).waitFor({ timeout: long });
    const seconds = (since: number) => Math.round((performance.now() - since) / 100) / 10;
    keepFigures(`first-words-${program}-${language}`, {
      ...{ secondsAfterClick: seconds(clicked), secondsAfterStart: seconds(started) },
      load: Math.round(loadavg()[0] ?? 0),
    });
    await look('sample-2-writes');
    await press(page, button(words.controls.stop));
    await page.getByRole('menuitem', { name: words.controls.stopStep }).press('Enter');
    await reaches('stopped');
    await look('sample-3-stopped');
  });

  test('a text of one’s own: set up, trained, and what came of it', { timeout: 6 * long }, async () => {
    const { page, folder } = session;
    const { home, words, wizard } = said();
    const text = join(folder, 'my novel.txt');
    writeFileSync(text, readFileSync(sampleTextPath(), 'utf8').slice(400_000, 600_000));
    await go('/');
    await press(page, page.getByRole('main').getByRole('button', { name: home.newProject }).first());
    await pick(page, card(page, wizard.begin.nothing.title));
    await kept(page);
    await look('own-1-begin');
    await press(page, link(new RegExp(`^${wizard.next}`)));
    await dropFiles(page, dropZone(page), [text]);
    await page.getByRole('heading', { name: wizard.text.found }).waitFor({ timeout: long });
    await look('own-2-text');
    await press(page, link(new RegExp(`^${wizard.next}`)));
    await page.getByText(wizard.tokens.why).waitFor({ timeout: long });
    await look('own-3-tokens');
    await press(page, link(new RegExp(`^${wizard.next}`)));
    await pick(page, card(page, strings.presets.nano));
    await kept(page);
    await look('own-4-model');
    for (const [step, values] of Object.entries(small))
      for (const [name, value] of Object.entries(values))
        await typeSetting(page, step as keyof typeof small, name, String(value));
    await goToStep(page, 'review');
    await look('own-5-review');
    await press(page, button(wizard.review.start));
    await reaches('running');
    // From the first moment on it is told what is done.
    expect(await page.getByRole('region', { name: words.now, exact: true }).count()).toBe(1);
    await look('own-6-running');
    await reaches('finished');
    await press(page, link(words.seeAll));
    await page.getByRole('heading', { name: words.outcome.title }).waitFor({ timeout: long });
    await look('own-7-outcome');
  });

  test('a failure, and its way out', { timeout: 4 * long }, async () => {
    const { page } = session;
    const { home, words, wizard } = said();
    await go('/');
    await press(page, button(home.actions.menu('my novel')));
    await page.getByRole('menuitem', { name: home.actions.clone }).press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByLabel(wizard.name).fill('Too fast');
    await typeSetting(page, 'model', 'learning_rate', '1e20');
    await goToStep(page, 'review');
    await look('failure-1-warned');
    await press(page, button(wizard.review.start));
    await reaches('failed');
    await look('failure-2-failed');
    await press(page, button(words.wayOut.apply));
    await page.getByText(wizard.review.startHelp).waitFor();
    await look('failure-3-way-out');
  });

  test('a comparison, and a report to give away', { timeout: 2 * long }, async () => {
    const { page } = session;
    const { words } = said();
    await go('/');
    const ids = await page
      .locator('a.card-link')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')?.split('/').at(-1) ?? ''));
    expect(ids).toHaveLength(3);
    await go(`/compare?runs=${ids.join(',')}`);
    await page.getByText(words.compare.figures).waitFor();
    await look('compare-1');
    const file = await session.saved('report.html', () => press(page, button(words.compare.report)));
    await expect
      .poll(() => readFileSync(file, 'utf8').slice(0, 15).toLowerCase(), { timeout: long })
      .toBe('<!doctype html>');
    expect(readFileSync(file, 'utf8')).toContain('my novel');
    expect(readFileSync(file, 'utf8')).toContain(`<html lang="${language}">`);
    // Given away, it is opened from the disk, and asks for nothing. Electron opens no other page.
    const browser = page.context().browser();
    if (program === 'electron' || browser === null) return;
    const given = join(session.folder, 'report.html');
    writeFileSync(given, readFileSync(file));
    const opened = await browser.newPage();
    const asked: string[] = [];
    opened.on('request', (request) => asked.push(request.url()));
    await opened.goto(pathToFileURL(given).href);
    await opened.getByText('my novel').first().waitFor();
    expect(asked).toHaveLength(1);
    await picture(opened, join(artifacts, 'sessions', `${program}-${language}`, 'report.png'));
    await opened.close();
  });

  test('every form in which a project is given away, by the keys alone', { timeout: 8 * long }, async () => {
    const { page, folder } = session;
    const { exports, reports } = said().home;
    await go('/');
    await press(page, link(/^my novel$/));
    const dialog = page.getByRole('dialog', { name: exports.title });
    const within = async (name: string) => {
      if ((await dialog.count()) === 0) await press(page, button(exports.title));
      await press(page, dialog.getByRole('button', { name, exact: true }));
    };
    const begins: Record<keyof typeof reports.formats, RegExp> = {
      html: /^<!doctype html>/i,
      json: /^\{/,
      csv: /^run,/,
    };
    for (const [format, label] of Object.entries(reports.formats)) {
      const file = await session.saved(`report.${format}`, () => within(reports.save(label)));
      const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
      await expect.poll(text, { timeout: long }).toMatch(begins[format as keyof typeof begins]);
      await dialog.waitFor({ state: 'detached', timeout: long });
      await hasFocus(page);
    }
    const archive = await session.saved('my-novel.verisim.tar', () =>
      within(exports.apply(strings.declared(exportFormats.project.label))),
    );
    const magic = (file: string, from: number, to: number) =>
      existsSync(file) ? readFileSync(file).toString('latin1', from, to) : '';
    await expect.poll(() => magic(archive, 257, 262), { timeout: long }).toBe('ustar');
    await dialog.waitFor({ state: 'detached', timeout: long });
    await hasFocus(page);
    const written = { gguf: [], huggingface: [], nanogpt: [], trl: [] } as Record<string, string[]>;
    for (const format of Object.keys(written) as (keyof typeof exportFormats)[]) {
      const before = new Set(readdirSync(join(folder, 'projects')));
      await within(exports.apply(strings.declared(exportFormats[format].label)));
      const fresh = () => readdirSync(join(folder, 'projects')).filter((name) => !before.has(name));
      await expect.poll(() => fresh().length, { timeout: long }).toBe(1);
      await dialog.waitFor({ state: 'detached', timeout: long });
      await hasFocus(page);
      written[format] = readdirSync(join(folder, 'projects', fresh()[0] ?? '')).toSorted();
    }
    keepFigures(
      `exports-${program}-${language}`,
      Object.fromEntries(Object.entries(written).map(([k, v]) => [k, v.join(' ')])),
    );
    expect(written['gguf']?.some((name) => name.endsWith('.gguf'))).toBe(true);
    expect(written['huggingface']).toEqual(expect.arrayContaining(['config.json', 'model.safetensors']));
    expect(written['nanogpt']).toContain('ckpt.pt');
    expect(written['trl']?.length).toBeGreaterThan(2);
    await look('exports');
  });

  test(
    'a fork, the trash and what comes back, and pairs that are rated, by the keys alone',
    { timeout: 4 * long },
    async () => {
      const { page } = session;
      const { home, words, wizard } = said();
      const { rating } = strings;
      await go('/');
      await press(page, link(/^my novel$/));
      await press(
        page,
        page.getByRole('navigation', { name: words.timeline }).getByRole('link', { name: words.cycle('1') }),
      );
      await press(page, button(words.fork.label));
      await page.waitForURL(/\/review/);
      await expect.poll(() => page.getByLabel(wizard.name).inputValue()).toMatch(/^my novel \(/);
      await look('fork');
      await go('/');
      const cardOf = link(/^my novel$/);
      const remove = async () => {
        await choose(page, button(home.actions.menu('my novel')), new RegExp(`^${home.actions.delete}`));
        await cardOf.waitFor({ state: 'detached' });
        await hasFocus(page);
      };
      await cardOf.waitFor();
      await remove();
      await press(page, button(strings.app.undo));
      await cardOf.waitFor();
      await hasFocus(page);
      await remove();
      await press(page, button(home.trash.title('1')));
      await look('trash');
      await press(page, button(home.trash.restoreName('my novel')));
      await cardOf.waitFor();
      await hasFocus(page);

      await press(page, link(/^my novel$/));
      await press(page, link(rating.short));
      await press(page, page.getByRole('group', { name: rating.begin.count }).getByRole('button').first());
      await press(page, button(rating.begin.write));
      const isRated = (count: number) =>
        page.getByText(new RegExp(`^${rating.progress(String(count), String.raw`\d+`)}$`)).waitFor({ timeout: long });
      await isRated(0);
      for (const [count, key] of ['1', '2', '0', '9'].entries()) {
        await hasFocus(page);
        await page.keyboard.press(key);
        await isRated(count + 1);
      }
      await page.keyboard.press('b');
      await isRated(3);
      await look('rating');
      await press(page, button(rating.results));
      await page.getByRole('heading', { name: rating.trust.title }).waitFor({ timeout: long });
      await hasFocus(page);
      await look('rating-results');
    },
  );

  test('nothing complained, everything fits, and axe finds nothing serious', () => {
    expect(session.watch.complaints).toEqual([]);
    expect(findings).toEqual([]);
  });
});

test('the window is shown soon, ten times', { timeout: 2 * long }, async () => {
  const folders = makeFolders();
  const starts: number[] = [];
  // The first reads everything from the disk.
  for (let start = 0; start < 10; start++) {
    const app = await openApp(folders);
    starts.push(await app.shownAfter());
    await endApp(app);
  }
  removeFolders(folders);
  const soon = starts.filter((milliseconds) => milliseconds <= 2000).length;
  keepFigures('starts', {
    ...{ milliseconds: starts.map(Math.round).join(' '), withinTwoSeconds: soon },
    load: Math.round(loadavg()[0] ?? 0),
  });
  expect(soon).toBeGreaterThanOrEqual(9);
});
