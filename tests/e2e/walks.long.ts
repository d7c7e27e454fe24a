/**
 * `npm run walks`: new users go from the empty window to a finished result through `verisim serve`, pressing only what is
 * recommended: five languages by mouse, and the sample by the keyboard alone, in an English and a German window. Actions up to Start
 * are counted, every screen is checked by axe, and the pictures are in tests/artifacts/e2e/walks. Training is cut to half a minute,
 * and begins from scratch where the plan would download a model, except once: from a hub on this machine, which has a tiny one.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { initialWeights } from '../../main/engine/model/model.js';
import { writeHuggingFaceModel } from '../../main/formats/huggingface.js';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { catalogue } from '../../shared/models/catalogue.js';
import { docxOf } from '../../tools/support/zip-of.js';
import { serveHub } from '../storage/hub/hub-server.js';
import { tinyLlama } from '../support/engine.js';
import { inEnglish, inGerman } from '../support/messages.js';
import { artifacts } from './support/app.js';
import { pictures, seriousFindings } from './support/page.js';
import { long } from './support/project.js';
import { openServed } from './support/served.js';
import { dropFiles, dropZone } from './support/wizard.js';

/** From an empty window: a new project, its text, the plan, start. */
const MOST_ACTIONS = 4;
const MINUTES = 0.5;
/** Preparing, compiling and measuring on a busy machine. */
const patient = 20 * 60_000;

/** Article 1 of the Universal Declaration of Human Rights, in three sentences each. */
const sentences = {
  en: 'All human beings are born free. They are endowed with reason and conscience. Everyone acts in a spirit of brotherhood.',
  de: 'Alle Menschen sind frei und gleich an Würde geboren. Sie sind mit Vernunft und Gewissen begabt. Sie sollen einander im Geist der Brüderlichkeit begegnen.',
  ar: 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا. وعليهم أن يعامل بعضهم بعضا بروح الإخاء.',
  zh: '人人生而自由，在尊严和权利上一律平等。 他们赋有理性和良心。 他们应以兄弟关系的精神相对待。',
  sw: 'Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri. Hivyo yapasa watendeane kindugu.',
} as const;
type Language = keyof typeof sentences;

/** Lines of the sentences in an order without a period, so that the text is no repetition. */
function textIn(language: Language): string[] {
  const known = sentences[language].split(/(?<=[.。]) /);
  let seed = 7;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  return Array.from({ length: 3000 }, () =>
    Array.from({ length: 1 + (next() % 4) }, () => known[next() % known.length] ?? '').join(' '),
  );
}

function writeIn(folder: string, language: Language, format: 'txt' | 'docx'): string {
  const file = join(folder, `${language}.${format}`);
  const lines = textIn(language);
  const body = lines.map((line) => `<w:p><w:r><w:t>${line}</w:t></w:r></w:p>`).join('');
  writeFileSync(file, format === 'txt' ? lines.join('\n') : docxOf(body));
  return file;
}

const findings: object[] = [];

async function look(page: Page, name: string): Promise<void> {
  await pictures(page, join(artifacts, 'walks'), name);
  for (const finding of await seriousFindings(page)) findings.push({ screen: name, ...finding });
  await page.setViewportSize({ width: 1280, height: 820 });
}

/** Goes to an element with Tab alone, and presses it. */
async function pressByKeyboard(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < 80; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

/** Sets a time that the slider does not offer, and returns to the plan. */
async function shorten(page: Page, t: typeof inEnglish): Promise<void> {
  const plan = page.url();
  await page.goto(plan.replace(/\/plan.*/, '/model?field=train_minutes'));
  await page
    .locator('#input-train_minutes')
    .fill(t === inEnglish ? String(MINUTES) : String(MINUTES).replace('.', ','));
  await page.keyboard.press('Tab');
  await page.getByText(t('wizard.kept')).waitFor();
  await page.goto(plan);
}

/** Reads the finished result: samples before and after training next to the text, in the direction of their script. */
async function readResult(
  page: Page,
  t: typeof inEnglish,
  language: Language,
  model: 'new' | 'pretrained' | 'random',
): Promise<void> {
  const result = page.getByRole('region', { name: t('project.outcome.title'), exact: true });
  await result.waitFor({ timeout: patient });
  const samples = result.getByRole('region', { name: t('project.outcome.samples') });
  const names = [...(model === 'new' ? [] : (['before'] as const)), 'now' as const, 'text' as const];
  expect(await samples.getByRole('article').getByRole('heading').allInnerTexts()).toEqual(
    names.map((name) => t(`project.outcome.${name}`)),
  );
  const openings = samples.getByRole('group', { name: t('project.samplesOverTime.openings') }).getByRole('button');
  expect(await openings.count()).toBe(3);
  for (const opening of await openings.all()) {
    await opening.click();
    for (const passage of await samples.locator('.passage').all()) {
      expect((await passage.innerText()).length, t('project.outcome.samples')).toBeGreaterThan(80);
      // Random weights write bytes that are no characters.
      if (model !== 'random') expect(await passage.innerText()).not.toContain('\ufffd');
      expect(await sideOf(passage)).toBe(language === 'ar' ? 'right' : 'left');
    }
  }
  // What would help most now, in a sentence with its button.
  await result.getByText(new RegExp(`${t('outcome.another.longer')}|${t('outcome.another.more_text')}`)).waitFor();
}

/** Finds the side at which a passage begins. */
const sideOf = (passage: Locator): Promise<'left' | 'right'> =>
  passage.evaluate((whole) => {
    const first = document.createRange();
    const text = whole.querySelector('.text-natural')?.firstChild ?? whole;
    first.setStart(text, 0);
    first.setEnd(text, 1);
    const [letter, box] = [first.getBoundingClientRect(), whole.getBoundingClientRect()];
    return letter.left - box.left < box.right - letter.right ? 'left' : 'right';
  });

/** The model that is recommended for texts of many languages. */
const NAMED = 'Qwen/Qwen2.5-0.5B';

/** Serves a tiny model of that name, to a cache folder that has everything else of this machine's. */
async function serveTinyModel(
  folder: string,
): Promise<{ readonly environment: Record<string, string>; close(): void }> {
  const llama = { ...tinyLlama.llama, max_positions: 1024 } as const;
  const config = { ...tinyLlama, vocab_size: 1000, block_size: 128, llama } as typeof tinyLlama;
  const files = writeHuggingFaceModel(config, initialWeights(config, 3));
  const cases = readFileSync(join(import.meta.dirname, '../engine/tokenizer/pretrained-cases.json'), 'utf8');
  const { smollm } = JSON.parse(cases) as { readonly smollm: { readonly tokenizer: object } };
  const hub = await serveHub({
    [NAMED]: {
      files: {
        'config.json': Buffer.from(files['config.json']),
        'model.safetensors': Buffer.concat([...files['model.safetensors']]),
        'tokenizer.json': Buffer.from(JSON.stringify(smollm.tokenizer)),
      },
    },
  });
  const cache = join(folder, 'cache/verisim');
  mkdirSync(cache, { recursive: true });
  for (const each of readdirSync(cacheFolder()).filter((each) => each !== 'models'))
    symlinkSync(join(cacheFolder(), each), join(cache, each));
  return { environment: { HF_ENDPOINT: hub.endpoint, XDG_CACHE_HOME: dirname(cache) }, close: hub.close };
}

const walks = [
  { language: 'en', format: 'docx', window: 'en' },
  { language: 'en', format: 'txt', window: 'de' },
  { language: 'de', format: 'txt', window: 'de' },
  { language: 'ar', format: 'txt', window: 'de', downloads: true },
  { language: 'ar', format: 'txt', window: 'en' },
  { language: 'zh', format: 'txt', window: 'en' },
  { language: 'sw', format: 'txt', window: 'en' },
  { language: 'en', format: 'sample', window: 'en' },
  { language: 'en', format: 'sample', window: 'de' },
] as const;

test.each(walks)(
  'a $format in $language goes from the empty $window window to its result',
  async ({ language, format, window, ...rest }) => {
    const folder = mkdtempSync(join(tmpdir(), 'verisim-served-'));
    const hub = 'downloads' in rest ? await serveTinyModel(folder) : null;
    const served = await openServed(folder, [], window === 'en' ? 'en-GB' : 'de-DE', hub?.environment);
    const { page } = served;
    const t = window === 'en' ? inEnglish : inGerman;
    const name = `${language}-${format}-${window}`;
    let actions = 0;
    const act = async (target: Locator) => {
      actions++;
      await (format === 'sample' ? pressByKeyboard(page, target) : target.click());
    };
    const main = page.getByRole('main');
    await page.getByText(t('home.emptyTitle')).waitFor();
    await look(page, `${name}-empty`);
    actions++;
    if (format === 'sample') {
      await page.keyboard.press('Control+Shift+N');
      await act(page.getByRole('button', { name: t('wizard.text.useSample') }));
    } else await dropFiles(page, dropZone(page), [writeIn(served.folder, language, format)]);
    await page.getByRole('heading', { name: t('wizard.text.found') }).waitFor({ timeout: long });
    await look(page, `${name}-text`);
    await act(page.locator('footer').getByRole('link', { name: t('wizard.steps.plan.title') }));
    const plan = page.getByRole('region', { name: t('wizard.steps.plan.title') });
    await plan.getByText(t('wizard.plan.after')).waitFor({ timeout: long });
    await look(page, `${name}-plan`);
    const words = await main.innerText();
    expect(words).not.toMatch(/LoRA|\bKL\b|logarithm/i);
    const titles = catalogue.filter(({ title }) => words.split('\n').some((line) => line.includes(title)));
    for (const { languages, title } of titles) expect(languages, title).toContain(language);
    const start = page.getByRole('button', { name: t('wizard.review.start'), exact: true });
    await expect.poll(async () => (await start.or(downloading(page, t)).isEnabled()) || false).toBe(true);
    actions++;
    expect(actions).toBeLessThanOrEqual(MOST_ACTIONS);
    if (!hub && !(await start.isVisible()))
      await page.getByRole('button', { name: t('wizard.plan.withoutDownload') }).click();
    await shorten(page, t);
    const begin = hub ? downloading(page, t) : start;
    await expect.poll(() => begin.isEnabled(), { timeout: long }).toBe(true);
    await act(begin);
    await page.waitForURL(/#\/project\//);
    await look(page, `${name}-started`);
    const model = words.includes('SmolLM2') ? 'pretrained' : 'new';
    await readResult(page, t, language, hub ? 'random' : model);
    await look(page, `${name}-result`);
    await served.close();
    hub?.close();
  },
  2 * patient,
);

const downloading = (page: Page, t: typeof inEnglish): Locator =>
  page.getByRole('button', { name: t('wizard.plan.downloadAndStart') });

test('axe finds nothing serious on any of the screens', () => {
  expect(findings).toEqual([]);
});
