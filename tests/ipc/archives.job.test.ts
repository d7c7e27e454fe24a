/** A project leaves through the dispatcher as one file, and comes back as another project. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openProject } from '../../main/storage/projects/project-folder.js';
import { initialWeights } from '../../main/engine/model/model.js';
import { saveModel } from '../../main/storage/projects/models.js';
import { createSupervisor } from '../../main/supervisor/index.js';
import { nodeTrainer } from '../../main/supervisor/trainer-process.js';
import { runReportSchema } from '../../shared/reports/run-report.js';
import { program, withoutTensorflow } from '../supervisor/project.js';
import { tinyModel } from '../support/engine.js';
import { createWorld } from './world.js';
import '../support/messages.js';

withoutTensorflow();

const home = mkdtempSync(join(tmpdir(), 'verisim-archives-'));
/** A model is exported by a trainer's process. */
const supervisor = createSupervisor({ start: nodeTrainer(program), queueFile: join(home, 'queue.json') });
const world = createWorld({ supervisor, folder: home });
afterAll(async () => {
  await world.close();
  await supervisor.close();
});

it('is exported, and imported beside itself', async () => {
  const { services, folder } = world;
  const id = services.registry.idOf(world.makeProject('book'));
  const file = join(folder, 'book.verisim.tar');
  const { bytes } = await world.ask('projects.export', { id, file: services.files.give(file, 'write').handle });
  expect(bytes).toBeGreaterThan(1000);
  const imported = (await world.ask('projects.import', { file: services.files.give(file).handle })) as { id: string };
  expect(imported.id).not.toBe(id);
  expect(openProject(services.projects.folderOf(imported.id)).name).toBe('book');

  writeFileSync(file, 'something else');
  await expect(world.ask('projects.import', { file: services.files.give(file).handle })).rejects.toMatchObject({
    code: 'file_damaged',
  });
  // A handle that was given for reading is none for writing.
  const readOnly = services.files.give(join(folder, 'other.tar')).handle;
  await expect(world.ask('projects.export', { id, file: readOnly })).rejects.toMatchObject({ code: 'file_not_found' });
  expect(world.bugs).toEqual([]);
});

it('gives its newest model to other programs, in a folder beside it', async () => {
  const project = world.makeProject('exported');
  const id = world.services.registry.idOf(project);
  const chars = [...'\n abcdé😀'];
  const config = { ...tinyModel, vocab_size: chars.length };
  const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
  const model = { weights: initialWeights(config, 1), config, tokenization, provenance: {} };
  saveModel(join(project, 'checkpoints', 'base_model_v1'), model);
  const placeFor = async (format: string) =>
    ((await world.ask('projects.exportPlace', { id, format })) as { folder: { handle: string; name: string } }).folder;
  for (const format of ['gguf', 'huggingface', 'nanogpt']) {
    const { handle } = await placeFor(format);
    const found = await world.ask('projects.exportModel', { id, format, language: 'de', folder: handle });
    expect(found).toMatchObject({
      folder: { name: `exported-${format}`, kind: 'folder' },
      place: `${project}-${format}`,
    });
  }
  // Another export never replaces one that is there.
  expect(await placeFor('gguf')).toMatchObject({ name: 'exported-gguf-2' });
  expect(readdirSync(`${project}-gguf`)).toContain('exported-F16.gguf');
  expect(readFileSync(join(`${project}-gguf`, 'README.txt'), 'utf8')).toMatch(/^Dieses Modell/);
  // What is told beforehand is told as it was: the process that exports passes faults on whole.
  const { handle: folder } = await placeFor('peft');
  const refused = world.ask('projects.exportModel', { id, format: 'peft', language: 'en', folder });
  await expect(refused).rejects.toMatchObject({ code: 'checkpoint' });
  expect(existsSync(`${project}-peft`)).toBe(false);
  expect(world.bugs).toEqual([]);
});

it('is reported on, beside another, and says with what it was made', async () => {
  const { services, folder } = world;
  const ids = ['one', 'two'].map((name) => services.registry.idOf(world.makeProject(name)));
  const file = join(folder, 'both.json');
  const handle = services.files.give(file, 'write').handle;
  const saved = await world.ask('projects.saveReport', { ids, format: 'json', language: 'de', file: handle });
  expect(saved).toMatchObject({ file: { name: 'both.json' } });
  const { runs, language } = runReportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  expect(language).toBe('de');
  expect(runs.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(await world.ask('projects.circumstances', { id: ids[0] })).toEqual(runs[0]?.circumstances);
  // Of one name, they differ by their folders.
  for (const id of ids) await world.ask('projects.rename', { id, name: 'my novel' });
  await world.ask('projects.saveReport', { ids, format: 'json', language: 'de', file: handle });
  const again = runReportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  expect(again.runs.map((run) => run.name)).toEqual(['my novel (one)', 'my novel (two)']);
  expect(world.bugs).toEqual([]);
});
