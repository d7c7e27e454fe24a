// What projects and runs came to, as files to give away.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeReport, writeEventFiles } from '../../../main/jobs/report/report.js';
import { runReportPage } from '../../../main/formats/report/page.js';
import { projectFacts, readReports } from '../../../main/storage/projects/project-facts.js';
import { formatMeasure, formatShare } from '../../../shared/base/numbers.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { outcomeMessages, outcomeOf } from '../../../shared/reports/outcome.js';
import { differencesBetween, runReportSchema, type RunReportFormat } from '../../../shared/reports/run-report.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { makeReportedProject } from '../../support/reported-project.js';
import { temporaryFolder, testContext } from '../context.js';
import { inEnglish } from '../../support/messages.js';

const home = temporaryFolder();
const at = (name: string) => join(home, name);
const write = async (
  format: RunReportFormat,
  projects: readonly string[],
  { file = at(`out.${format}`), language = 'en' }: { file?: string; language?: Language } = {},
) => {
  await writeReport({ projects, format, file, language }, testContext().context);
  return readFileSync(file, 'utf8');
};
/** Every piece of text that is read on a page, but for its data and what models wrote. */
const readIn = (page: string): readonly string[] =>
  page
    .replace(/<pre id="data">[^]*<\/pre>|<(style|blockquote)>[^]*?<\/\1>/g, '')
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter((text) => text !== '');
const read = (text: string) => runReportSchema.parse(JSON.parse(text));

beforeAll(async () => {
  const text = writeText(home);
  await makeReportedProject(at('book'), { text, cycles: 2 });
  await makeReportedProject(at('wider'), { text, cycles: 1, settings: { n_embd: 16, seed: 7 } });
  mkdirSync(at('alone'));
  const record = {
    format_version: 1,
    command: 'train',
    inputs: {},
    results: { perplexity: 5.25, model: '/home/ana/m' },
  };
  writeFileSync(
    join(at('alone'), 'run.json'),
    JSON.stringify({ ...record, settings: { data_path: '/home/ana/book.txt' } }),
  );
  const row = { event: 'metrics', phase: 'base_training', step: 1, values: { loss: 2.5, val_loss: null } };
  writeFileSync(join(at('alone'), 'metrics.jsonl'), `${JSON.stringify(row)}\n`);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a report', () => {
  it('has settings without places, versions, changes, hashes, reports and thinned metrics', async () => {
    const [run] = read(await write('json', [at('book')])).runs;
    expect(run?.circumstances.settings).toMatchObject({ n_embd: 8 });
    expect(JSON.stringify(run)).not.toContain(home);
    expect(run?.circumstances.changes).toEqual([
      { cycle: 0, phase: 'base_training', step: 120, settings: { learning_rate: 0.0003 }, iterations: 0, skip: false },
    ]);
    expect(run?.circumstances.data.map(({ file }) => file)).toEqual(['train.bin', 'val.bin', 'meta.pkl']);
    expect(run?.circumstances.data[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(run?.reports).toEqual(readReports(at('book')));
    const base = run?.metrics.find(({ phase }) => phase === 'base_training');
    expect(base?.last_step).toBe(2000);
    expect(base?.series['nats_per_character']?.steps).toHaveLength(200);
  });

  it('says what the window says, with its figures', async () => {
    const folder = at('book');
    const facts = projectFacts(folder);
    const reports = readReports(folder);
    const outcome = outcomeOf({ reports, ended: facts.kind === 'whole' ? facts.ended : null });
    if (!outcome) throw new Error('nothing came of it');
    const sentences = outcomeMessages(outcome).map((message) => inEnglish(message));
    expect(sentences.length).toBeGreaterThan(2);
    const written = read(await write('json', [folder]));
    expect(written.runs[0]?.verdict?.sentences).toEqual(sentences);
    const page = await write('html', [folder]);
    for (const { perplexity } of reports) expect(page).toContain(formatMeasure(perplexity, 'en', 4));
  });

  it('is German on request: its sentences, figures and day', async () => {
    const projects = [at('book'), at('wider'), at('alone')];
    const [german, english] = [await write('html', projects, { language: 'de' }), await write('html', projects)];
    expect(german).toContain('<html lang="de">');
    expect(english).toContain('<html lang="en">');
    for (const { perplexity } of readReports(at('book')))
      expect(german).toContain(`<td>${formatMeasure(perplexity, 'de', 4)}</td>`);
    expect(german).toMatch(/\d+\. \p{L}+ \d{4}, Verisim/u);
    expect(english).toMatch(/\p{L}+ \d+, \d{4}, Verisim/u);
    // What is read in both is what it was made by.
    const same = readIn(german).filter((text) => / /.test(text) && readIn(english).includes(text));
    expect(same.filter((text) => !/^(Verisim [\d.–]+|Adam β\d)$/.test(text))).toEqual([]);
    const page = readIn(await write('html', [at('book')], { language: 'de' }));
    expect(page).toContain('Bericht über book');
    expect(page).toContain('Perplexität');
    const { language, runs } = read(await write('json', [at('book')], { language: 'de' }));
    expect(language).toBe('de');
    expect(runs[0]?.verdict?.sentences.join(' ')).toMatch(/\d,\d.* Nats pro (Zeichen|Token)/);
  });

  it('calls settings and choices as the window does, next to the names in files', async () => {
    const pages = {
      en: await write('html', [at('wider')]),
      de: await write('html', [at('wider')], { language: 'de' }),
    };
    const row = (...cells: string[]) => cells.map((cell) => `<td>${cell}</td>`).join('');
    const flat = (text: string) =>
      text.replace(/\s*(<\/?t[dh][^>]*>)\s*/g, '$1').replaceAll(/<(\/?)th[^>]*>/g, '<$1td>');
    expect(flat(pages.en)).toContain(row('Width', '16', 'n_embd'));
    expect(flat(pages.en)).toContain(row('What is trained', 'All weights', 'tune=full'));
    expect(flat(pages.de)).toContain(row('Was trainiert wird', 'Alle Gewichte', 'tune=full'));
    expect(flat(pages.de)).toContain(row('Breite', '16', 'n_embd'));
    const page = readIn(await write('html', [at('book'), at('wider')]));
    expect(page).toContain('Step 120: “Learning rate: 3e-4”');
    expect(page.filter((text) => text === 'Width').length).toBe(3);
    const [run] = read(await write('json', [at('wider')])).runs;
    expect(run?.circumstances.settings).toMatchObject({ n_embd: 16, tune: 'full' });
  });

  it('calls versions as the window does, not as their files', async () => {
    const projects = [at('book'), at('wider')];
    for (const found of [projects, projects.slice(0, 1)])
      for (const [language, titles] of [
        ['en', ['Base model', 'Model after cycle 2']],
        ['de', ['Basismodell', 'Modell nach Zyklus 2']],
      ] as const) {
        const page = readIn(await write('html', found, { language }));
        for (const title of titles) expect(page).toContain(title);
        expect(page.filter((text) => /_model\\?_v\d/.test(text))).toEqual([]);
      }
  });

  // Written by revision d708118 (25 November 2026), the last one whose reports did not name their language; most points left out.
  it('that an earlier version wrote, in English and without saying so, is drawn as it was', () => {
    const earlier = readFileSync(join(import.meta.dirname, 'earlier-report.json'), 'utf8');
    expect(earlier).not.toContain('"language"');
    const { language, runs } = read(earlier);
    expect(language).toBe('en');
    const page = runReportPage(earlier);
    expect(page).toContain('<html lang="en">');
    for (const sentence of runs[0]?.verdict?.sentences ?? []) expect(readIn(page).join(' ')).toContain(sentence);
    expect(runs[0]?.reports).toHaveLength(2);
    for (const { perplexity } of runs[0]?.reports ?? [])
      expect(page).toContain(`<td>${formatMeasure(perplexity, 'en', 4)}</td>`);
  });

  it('is a page that is drawn from its own data, forbids every request, and holds no markup of others', async () => {
    const page = await write('html', [at('book'), at('wider')]);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|src=|@import|url\(/);
    const data = /<pre id="data">([^<]*)<\/pre>/.exec(page)?.[1] ?? '';
    const text = data
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'");
    expect(runReportPage(text.replace(/&amp;/g, '&'))).toBe(page);
  });

  it('lays several over each other, with what differs', async () => {
    const { runs } = read(await write('json', [at('book'), at('wider'), at('book')]));
    expect(runs.map(({ name }) => name)).toEqual(['book', 'wider']);
    const differing = differencesBetween(runs.map(({ circumstances }) => circumstances));
    expect(differing.map(({ kind, key }) => `${kind} ${key}`)).toEqual(['setting n_embd', 'setting seed']);
    expect(differing[0]?.values).toEqual([8, 16]);
  });

  it('tells of a single command what it reported', async () => {
    const page = await write('html', [at('alone')]);
    expect(readIn(page)).toEqual(expect.arrayContaining(['perplexity', '5.250']));
    expect(page).toContain('book.txt');
    expect(page).not.toContain('/home/ana');
  });

  it('is every logged number, one a row', async () => {
    const rows = (await write('csv', [at('alone')])).split('\r\n');
    expect(rows).toEqual([
      'run,cycle,phase,step,metric,value',
      'alone,0,base_training,1,loss,2.5',
      'alone,0,base_training,1,val_loss,',
      '',
    ]);
    const many = (await write('csv', [at('book')])).split('\r\n');
    expect(many.filter((row) => row.includes(',base_training,') && row.includes(',loss,'))).toHaveLength(200);
  });

  it('is event files that TensorBoard shows, every number of every run, or nothing', async () => {
    const report = (file: string) =>
      writeReport(
        { projects: [at('book'), at('alone')], format: 'tensorboard', file, language: 'en' },
        testContext().context,
      );
    await report(at('events'));
    expect(readdirSync(at('events'))).toEqual(['1 book', '2 alone']);
    const phases = ['00-base_training', '01-grpo', '01-reward_model', '02-grpo', '02-reward_model'];
    expect(readdirSync(join(at('events'), '1 book'))).toEqual(phases);
    const place = join(at('events'), '2 alone', '00-base_training');
    const [name = ''] = readdirSync(place);
    const bytes = readFileSync(join(place, name));
    // The framing is that of tests/storage/projects/tensorboard.test.ts, which tensorboard has read.
    const lengths: number[] = [];
    for (let from = 0; from < bytes.length; from += 16 + (lengths.at(-1) ?? 0))
      lengths.push(Number(bytes.readBigUInt64LE(from)));
    expect(lengths).toHaveLength(1 + 2);
    expect(bytes.includes(Buffer.from([0x0a, 4, ...Buffer.from('loss'), 0x15, 0, 0, 0x20, 0x40]))).toBe(true);
    expect(await faultOfAsync(report(at('events')))).toMatchObject({ code: 'exists', field: 'file' });
    expect(readdirSync(home).filter((entry) => entry.endsWith('.unfinished'))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('has no event file open any longer where it could not be written', () => {
    function* broken() {
      yield { at: 0, run: 'a', cycle: 0, phase: 'base_training', step: 1, metric: 'loss', value: 1 } as const;
      throw new Error('no more');
    }
    expect(() => writeEventFiles(at('broken'), ['a'], broken(), 0)).toThrow('no more');
    const open = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ''; // the folder's own, closed again
      }
    });
    expect(open.filter((file) => file.startsWith(at('broken')))).toEqual([]);
  });

  it('of twenty runs stays below 5 MB, asks for nothing, and has every figure as the window writes it', async () => {
    for (let copy = 0; copy < 18; copy++)
      await makeReportedProject(at(`copy-${copy}`), { text: at('input.txt'), cycles: 3, settings: { seed: copy } });
    const all = ['book', 'wider', ...Array.from({ length: 18 }, (_, copy) => `copy-${copy}`)].map(at);
    const page = await write('html', all, { file: at('all.html') });
    expect(statSync(at('all.html')).size).toBeLessThan(5e6);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|(src|href)=|@import|url\(/);
    for (const folder of all)
      for (const { perplexity, nats_per_character: nats, grpo } of readReports(folder)) {
        const figures = [formatMeasure(perplexity, 'en', 4), formatMeasure(nats, 'en', 4)];
        if (grpo)
          figures.push(`${formatShare(grpo.reward_first, 'en', 1)} → ${formatShare(grpo.reward_last, 'en', 1)}`);
        for (const figure of figures) expect(page).toContain(`<td>${figure}</td>`);
      }
  });

  it('refuses what is no run, and a place within one', async () => {
    expect(await faultOfAsync(write('html', [home]))).toMatchObject({ code: 'file_not_found', field: 'projects' });
    expect(await faultOfAsync(write('html', [at('book')], { file: join(at('book'), 'x.html') }))).toMatchObject({
      code: 'exists',
    });
    expect(existsSync(join(at('book'), 'x.html'))).toBe(false);
  });
});
