// The wizard's side: drafts that survive anything, files that are never paths, checks, the project that comes of it.
import { verbatim } from '../../../shared/messages/message.js';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Draft } from '../../../shared/contract/drafts.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { tightOf } from '../../../main/services/drafts/draft-check.js';
import { UserError } from '../../../shared/errors.js';
import { sampleModelPath } from '../../../main/installation/locations.mjs';
import { previewOf } from '../../../tools/demo/drafts.js';
import { inEnglish } from '../../support/messages.js';
import { absentSupervisor } from '../../../main/services/machine/absent-supervisor.js';
import type { Supervisor } from '../../../main/supervisor/types.js';
import { effectiveSettings } from '../../../renderer/wizard/problems.js';
import { createWorld, type World } from '../../ipc/world.js';

let world: World;
const started: string[] = [];
const supervisor = {
  ...absentSupervisor(),
  async start(folder: string) {
    started.push(folder);
  },
  call: (async (job: string, input: unknown) => {
    if (job === 'preview') return reading(input);
    if (job === 'familiarity') return familiarity(input as { model: string });
    throw new Error(`nobody answers ${job}`);
  }) as Supervisor['call'],
};
/** How well a model predicts a passage. */
let familiarity: (input: { model: string }) => unknown = () => ({ nats_per_character: null });
/** What a look at a text comes to. */
let reading: (input: unknown) => unknown = () => ({});
beforeEach(() => {
  started.length = 0;
  world = createWorld({ supervisor });
});
afterEach(() => world.close());

const handle = (path: string) => world.services.files.give(path).handle;
const draftWith = async (given: GivenSettings, change: object = {}): Promise<Draft> => {
  const { id } = (await world.ask('drafts.create', { name: 'New project' })) as Draft;
  // Whatever is advised on the machine that tests.
  return world.ask('drafts.save', { id, given, preset: 'tiny', ...change });
};

interface Check {
  readonly problems: readonly {
    field: string | null;
    severity: string;
    message: string;
    fix?: { set?: GivenSettings; unset?: string[] };
  }[];
  readonly resolved: GivenSettings | null;
  readonly command: string;
  readonly estimate: { parameters: number; disk: { needed: number }; memory: { peak: number } } | null;
  readonly largest_batch: number | null;
}
const check = (id: string): Promise<Check> => world.ask('drafts.check', { id });

describe('drafts', () => {
  it('keeps every change at once, and gives it back after a restart with handles that work', async () => {
    const draft = await draftWith({ data_path: handle(world.text), n_layer: 3 }, { name: 'My book', step: 'model' });
    expect(draft).toMatchObject({ name: 'My book', step: 'model', preset: 'tiny', files: [{ name: 'book.txt' }] });
    const again = createWorld({ folder: world.folder });
    const [kept] = ((await again.ask('drafts.list', {})) as { drafts: Draft[] }).drafts;
    expect(kept).toMatchObject({ id: draft.id, name: 'My book', given: { n_layer: 3 } });
    expect(again.services.files.pathOf(String(kept?.given['data_path']))).toBe(world.text);
    expect(JSON.stringify(kept)).not.toContain(world.folder);
  });

  it.each(['/etc/passwd', '', 'file_unknown', '../x'])('takes no path from the window: %j', async (data_path) => {
    await expect(draftWith({ data_path })).rejects.toMatchObject({ code: 'file_not_found', field: 'data_path' });
  });

  it('takes no handle for writing in place of one for reading, and no setting of main’s own', async () => {
    const { handle: place } = world.services.files.give(join(world.folder, 'x'), 'write');
    await expect(draftWith({ data_path: place })).rejects.toMatchObject({ field: 'data_path' });
    for (const key of ['project', 'preset', 'vocab_size', '__proto__', 'constructor']) {
      const given = JSON.parse(`{${JSON.stringify(key)}:"x"}`) as GivenSettings;
      const saved = draftWith(given);
      if (key === '__proto__') expect((await saved).given).toEqual({});
      else await expect(saved).rejects.toMatchObject({ code: 'bad_input', field: key });
    }
  });

  it('moves a file that it cannot understand aside, and says that the draft is gone', async () => {
    const { id } = await draftWith({});
    const file = join(world.services.data.drafts, `${id}.json`);
    writeFileSync(file, '{"name":');
    await expect(world.ask('drafts.get', { id })).rejects.toMatchObject({ code: 'file_not_found' });
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe('{"name":');
  });
});

describe('drafts.check', () => {
  it('tells every problem at once, with fixes that work when they are applied', async () => {
    const { id } = await draftWith({
      data_path: handle(world.text),
      n_embd: 100,
      n_head: 3,
      temperature: -1,
      seed: 'x',
    });
    const { problems, resolved, command } = await check(id);
    expect(problems.map(({ field }) => field).sort()).toEqual(['n_embd', 'seed', 'temperature']);
    expect(resolved).toBeNull();
    expect(command).toContain('--temperature -1');
    let given: GivenSettings = { data_path: handle(world.text), n_embd: 100, n_head: 3, temperature: -1, seed: 'x' };
    for (const { fix } of problems) {
      given = { ...given, ...fix?.set };
      given = Object.fromEntries(Object.entries(given).filter(([key]) => !fix?.unset?.includes(key)));
    }
    await world.ask('drafts.save', { id, given });
    expect((await check(id)).problems).toEqual([]);
  });

  it('offers a file that lies beside the wrong one as a handle', async () => {
    writeFileSync(join(world.folder, 'val.bin'), Buffer.alloc(2000));
    writeFileSync(join(world.folder, 'train.bin'), Buffer.alloc(2000));
    const { id } = await draftWith({ input_mode: 'binary', train_bin: handle(join(world.folder, 'train.bin')) });
    const { problems } = await check(id);
    const fix = problems.find(({ field }) => field === 'val_bin')?.fix?.set?.['val_bin'];
    expect(world.services.files.pathOf(String(fix))).toBe(join(world.folder, 'val.bin'));
  });

  it('says what the terminal would be given, with real paths, and what it would take', async () => {
    const { id } = await draftWith({ data_path: handle(world.text), tokenization: 'char' }, { name: 'Mein Buch!' });
    const { command, estimate, resolved } = await check(id);
    expect(command).toContain(`cycle --project ${join(world.folder, 'projects', 'mein-buch')} --preset tiny`);
    expect(command).toContain(`--data_path ${world.text}`);
    expect(estimate?.parameters).toBeGreaterThan(800_000);
    expect(estimate?.disk.needed).toBeGreaterThan(10_000_000);
    expect(world.services.files.pathOf(String(resolved?.['data_path']))).toBe(world.text);
    expect(JSON.stringify(resolved)).not.toContain(world.folder);
  });

  it('tells what was found wrong with the text when it was read, until it is another', async () => {
    const { id } = await draftWith({ data_path: handle(world.text), tokenization: 'char' });
    reading = () => {
      const message = verbatim('book.txt holds nothing but the character "a", 5,000 times');
      throw new UserError({ code: 'bad_input', message, hint: verbatim('There is nothing to learn from it.') });
    };
    await expect(world.ask('drafts.preview', { id })).rejects.toMatchObject({ code: 'bad_input' });
    expect((await check(id)).problems).toMatchObject([{ field: 'data_path', severity: 'error' }]);
    writeFileSync(world.text, 'Another text altogether. '.repeat(300));
    expect((await check(id)).problems).toEqual([]);
    reading = () => {
      throw new UserError({ code: 'internal', message: verbatim('The trainer ended.'), hint: verbatim('') });
    };
    await expect(world.ask('drafts.preview', { id })).rejects.toMatchObject({ code: 'internal' });
    expect((await check(id)).problems).toEqual([]);
    // The review does not call a text faultless of which a part could not be read.
    const left = { code: 'left_out', message: verbatim('two.epub cannot be read'), hint: verbatim('') };
    reading = () => ({ ...previewOf({ given: {}, preset: 'tiny' }), warnings: [left] });
    await world.ask('drafts.preview', { id });
    expect((await check(id)).problems).toMatchObject([{ severity: 'warning', message: left.message }]);
  });

  it.each(['init_from', 'critic_from'])(
    'warns that the model of %s does not know the text’s language',
    async (name) => {
      const given = { data_path: handle(world.text), reward_kind: 'critic', [name]: handle(sampleModelPath()) };
      const { id } = await draftWith(given);
      const excerpt = { text: 'A text.', baseline: 2.5 };
      reading = () => ({ ...previewOf({ given, preset: 'tiny' }), excerpt, language: 'en' });
      await world.ask('drafts.preview', { id });
      expect((await check(id)).problems.filter(({ field }) => field === name)).toEqual([]);
      reading = () => ({ ...previewOf({ given, preset: 'tiny' }), excerpt, language: 'sw' });
      await world.ask('drafts.preview', { id });
      const found = (await check(id)).problems.filter(({ field }) => field === name);
      expect(found).toMatchObject([{ severity: 'warning', message: { params: { language: { language: 'sw' } } } }]);
    },
  );

  it('measures each model on the text once, warns of one that does not know it, and asks again about another text', async () => {
    const own = join(world.folder, 'own.gguf');
    symlinkSync(sampleModelPath(), own);
    const given = { data_path: handle(world.text), init_from: handle(own) };
    const { id } = await draftWith(given);
    const asked: string[] = [];
    familiarity = ({ model }) => {
      asked.push(model);
      if (model !== own) throw new UserError({ code: 'checkpoint', message: verbatim('damaged'), hint: verbatim('') });
      return { nats_per_character: 2.4 };
    };
    const measured = async () => {
      const found: unknown[] = [];
      const options = { signal: new AbortController().signal, onProgress: (one: unknown) => void found.push(one) };
      await world.services.draftWork.familiarity(id, options);
      return found;
    };
    expect(await measured()).toEqual([]);
    const look = async (text: string, baseline: number) => {
      reading = () => ({ ...previewOf({ given, preset: 'tiny' }), excerpt: { text, baseline }, language: null });
      await world.ask('drafts.preview', { id });
    };
    await look('One text.', 2.5);
    expect(await measured()).toEqual([{ init_from: given.init_from, nats_per_character: 2.4, baseline: 2.5 }]);
    expect(asked[0]).toBe(own);
    const problems = async () => (await check(id)).problems.filter(({ field }) => field === 'init_from');
    expect(await problems()).toMatchObject([{ severity: 'warning', message: { code: 'drafts.unfamiliar' } }]);
    const before = asked.length;
    expect(await measured()).toHaveLength(1);
    expect(asked.slice(before)).not.toContain(own);
    await look('Another text, less predictable.', 4.5);
    expect(await problems()).toEqual([]);
    await measured();
    expect(asked.filter((model) => model === own)).toHaveLength(2);
    expect(await problems()).toEqual([]);
  });

  it('reads a text and estimates before the model is downloaded', async () => {
    let read: object = {};
    reading = (input) => {
      read = input as object;
      const small = { code: 'very_small', message: verbatim('small'), hint: verbatim('') };
      return {
        ...previewOf({ given: {}, preset: 'tiny' }),
        first_lines: ['abc', 'ой'],
        characters: 4000,
        warnings: [small],
      };
    };
    const given = { data_path: handle(world.text), init_from: 'HuggingFaceTB/SmolLM2-360M', max_iters: 10 };
    const { id } = await draftWith(given, { preset: 'smollm2' });
    expect(await world.ask('drafts.preview', { id })).toMatchObject({ characters: 4000 });
    expect(read).not.toHaveProperty('init_from');
    const { problems, estimate } = await check(id);
    expect(problems.map(({ field, severity }) => [field, severity])).toEqual([['init_from', 'error']]);
    // Of that model, with seven bytes for five characters and four for a token: 1400 tokens, 10,240 are read.
    expect(estimate?.parameters).toBeGreaterThan(3.6e8);
    expect(estimate).toMatchObject({ passes: expect.closeTo(10_240 / (0.9 * 1400), 1) });
  });

  it('says nothing against a table, and that memory is short now', async () => {
    const table = join(world.folder, 'list.csv');
    writeFileSync(table, 'name,text\nA,"some text"\n'.repeat(400));
    const { id } = await draftWith({ data_path: handle(table), tokenization: 'char' });
    expect((await check(id)).problems).toEqual([]);
    const memory = { peak: 5e9, available: 8e9 };
    expect(tightOf({ memory }, 6e9)).toEqual([]);
    const [tight] = tightOf({ memory }, 4e9);
    expect(tight).toMatchObject({ severity: 'warning', code: 'out_of_memory' });
    expect(tight && inEnglish(tight.message)).toBe(
      'About 5 GB of memory would be needed at the peak; 4 GB are free now',
    );
  });

  it('refuses what does not fit into memory, with what would', async () => {
    const huge = { data_path: handle(world.text), tokenization: 'char', batch_size: 65_536, block_size: 512 };
    const { id } = await draftWith(huge);
    const { problems, largest_batch } = await check(id);
    const problem = problems.find(({ field }) => field === 'batch_size');
    expect(problem).toMatchObject({ severity: 'error', fix: { set: { batch_size: largest_batch } } });
    await world.ask('drafts.save', { id, given: { ...huge, batch_size: largest_batch } });
    expect((await check(id)).largest_batch).toBeNull();
    await world.ask('drafts.save', { id, given: { ...huge, batch_size: (largest_batch ?? 0) + 1 } });
    expect((await check(id)).largest_batch).toBe(largest_batch);
  });
});

describe('drafts.start', () => {
  it('makes the project, has it started, and the draft is gone', async () => {
    const { id } = await draftWith(
      { data_path: handle(world.text), tokenization: 'char', max_cycles: 1 },
      { name: 'Book' },
    );
    const { project } = (await world.ask('drafts.start', { id })) as { project: string };
    const folder = join(world.folder, 'projects', 'book');
    expect(started).toEqual([folder]);
    expect(openProject(folder)).toMatchObject({ name: 'Book', config: { max_cycles: 1, data_path: world.text } });
    expect(await world.ask('projects.get', { id: project })).toMatchObject({
      summary: { name: 'Book', state: 'new', preset: 'tiny', cycle: -1 },
    });
    await expect(world.ask('drafts.get', { id })).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('makes nothing of a draft with a problem', async () => {
    const { id } = await draftWith({ n_layer: 0 });
    await expect(world.ask('drafts.start', { id })).rejects.toMatchObject({ code: 'bad_input' });
    expect(existsSync(join(world.folder, 'projects', 'new-project'))).toBe(false);
    expect(await world.ask('drafts.get', { id })).toMatchObject({ id });
  });

  it('finds a folder of its own for every project of the same name', async () => {
    for (let i = 0; i < 2; i++) {
      await world.ask('drafts.start', {
        id: (await draftWith({ data_path: handle(world.text) }, { name: 'Twin' })).id,
      });
    }
    expect(started.map((folder) => folder.slice(world.folder.length))).toEqual(['/projects/twin', '/projects/twin-2']);
  });

  it('begins a draft with the settings of a project that is there', async () => {
    world.makeProject('original', { n_layer: 3, temperature: 0.7 });
    const [project] = ((await world.ask('projects.list', {})) as { projects: { id: string }[] }).projects;
    const draft = (await world.ask('drafts.create', { name: 'A copy', project: project?.id })) as Draft;
    expect(draft).toMatchObject({ name: 'A copy', given: { n_layer: 3, temperature: 0.7 } });
    expect(world.services.files.pathOf(String(draft.given['data_path']))).toBe(world.text);
    const { problems, resolved } = await check(draft.id);
    expect(problems).toEqual([]);
    const { config } = openProject(join(world.folder, 'projects', 'original'));
    expect(resolved).toMatchObject({ n_layer: 3, block_size: config.block_size, max_iters: config.max_iters });
  });

  it('begins a fork with the preset of the project that it comes from, and with its settings in full', async () => {
    const fork = async (name: string) => {
      const { projects } = (await world.ask('projects.list', {})) as { projects: { id: string; name: string }[] };
      const project = projects.find((one) => one.name === name)?.id;
      const base = join(world.folder, 'projects', name, 'checkpoints', 'base_model_v1');
      mkdirSync(base, { recursive: true });
      return (await world.ask('drafts.create', { name: 'A fork', project, model: 'base_model_v1' })) as Draft;
    };
    world.makeProject('original', { learning_rate: 0.002 });
    const first = await fork('original');
    const { config } = openProject(join(world.folder, 'projects', 'original'));
    const { block_size, max_iters, learning_rate } = config;
    expect(first.preset).toBe('nano');
    expect(effectiveSettings(first.preset, first.given)).toMatchObject({ block_size, max_iters, learning_rate });
    // One that has taken over its network is of that size itself.
    const { n_layer, n_head, n_embd } = config;
    world.makeProject('second', { init_from: 'base_model_v1', n_layer, n_head, n_embd, block_size });
    expect((await fork('second')).preset).toBe('nano');
    world.makeProject('other', { init_from: 'base_model_v1', preset: 'smollm2' });
    expect((await fork('other')).preset).toBe('smollm2');
  });
});
