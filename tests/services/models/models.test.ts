// What a project can begin from: the catalogue with its true sizes, what is on this machine, what it would take.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parameterCount } from '../../../shared/architectures/index.js';
import { catalogue, downloadSize } from '../../../shared/models/catalogue.js';
import { parseHubName } from '../../../shared/config/hub-name.js';
import { modelConfigSchema } from '../../../shared/config/model.js';
import type { ModelEntry } from '../../../shared/contract/models.js';
import { hubModelFolder, partFolder, writeRecord, type HubRecord } from '../../../main/storage/hub/hub-cache.js';
import { createWorld, type World } from '../../ipc/world.js';

let world: World;
const cache = mkdtempSync(join(tmpdir(), 'verisim-models-'));
const before = process.env['XDG_CACHE_HOME'];
beforeAll(() => {
  process.env['XDG_CACHE_HOME'] = cache;
  world = createWorld();
});
afterAll(async () => {
  await world.close();
  rmSync(cache, { recursive: true });
  if (before === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = before;
});

const list = async () => ((await world.ask('models.list', {})) as { models: ModelEntry[] }).models;
const nameOf = (text: string) => {
  const name = parseHubName(text);
  if (name === null) throw new Error(text);
  return name;
};

it('counts the weights of every model of the catalogue as its makers do', () => {
  const counts = Object.fromEntries(catalogue.map(({ name, model }) => [name, parameterCount(model)]));
  expect(counts).toEqual({
    'HuggingFaceTB/SmolLM2-135M': 134_515_008,
    'HuggingFaceTB/SmolLM2-360M': 361_821_120,
    'HuggingFaceTB/SmolLM2-1.7B': 1_711_376_384,
    'Qwen/Qwen2.5-0.5B': 494_032_768,
    'Qwen/Qwen3-0.6B-Base': 596_049_920,
    'TinyLlama/TinyLlama-1.1B-Chat-v1.0': 1_100_048_384,
    'meta-llama/Llama-3.2-1B': 1_235_814_400,
  });
  for (const entry of catalogue) {
    expect(modelConfigSchema.parse(entry.model)).toEqual(entry.model);
    expect(parseHubName(entry.name)).toMatchObject({ repository: entry.name });
  }
  // model.safetensors of SmolLM2-135M is 269,060,552 bytes, its tokenizer.json 2.1 MB.
  const [smallest] = catalogue;
  expect((smallest && downloadSize(smallest)) ?? 0).toBeCloseTo(271.4e6, -6);
});

it('lists the catalogue, what each would take here, and what has been fetched', async () => {
  const absent = await list();
  expect(absent.map(({ id, state }) => [id, state])).toEqual(catalogue.map(({ name }) => [name, 'absent']));
  for (const { needs, init_from, id } of absent) {
    expect(init_from).toBe(id);
    expect(needs[0]).toMatchObject({ tune: 'full' });
    expect(needs[0]?.memory).toBeGreaterThan(1e9);
  }
  const costs = absent.map(({ needs }) => needs[0]?.memory ?? 0);
  expect(costs).toEqual([...costs].sort((a, b) => a - b));

  const record: HubRecord = {
    name: 'someone/tiny',
    commit: 'a'.repeat(40),
    licence: 'mit',
    gated: false,
    architecture: 'llama',
    files: [{ name: 'config.json', path: 'config.json', size: 20, hash: { kind: 'git', value: 'b'.repeat(40) } }],
  };
  const folder = hubModelFolder(nameOf(record.name));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), 'x'.repeat(20));
  writeRecord(folder, record);
  const part = { ...record, name: 'someone/part@v2' };
  mkdirSync(partFolder(nameOf(part.name)));
  writeFileSync(join(partFolder(nameOf(part.name)), 'config.json.part'), 'x'.repeat(5));
  writeRecord(partFolder(nameOf(part.name)), part);
  const found = (await list()).filter(({ source }) => source === 'hub');
  expect(found).toMatchObject([
    { id: 'someone/part@v2', state: 'partial', size: 20, here: 5 },
    { id: 'someone/tiny', state: 'present', size: 20, here: 20, licence: 'mit', needs: [] },
  ]);
  // A file that is shorter than it should be: the model is not whole.
  writeFileSync(join(folder, 'config.json'), 'x');
  expect((await list()).find(({ id }) => id === 'someone/tiny')).toMatchObject({ state: 'absent' });
  for (const { id } of found) await world.ask('models.remove', { id });
  expect((await list()).filter(({ source }) => source === 'hub')).toEqual([]);
  for (const id of ['setup', '../../etc', 'no-owner', '/etc/passwd']) {
    await expect(world.ask('models.remove', { id })).rejects.toMatchObject({ field: 'id' });
  }
});

it('takes a name of the hub for a draft, where otherwise only handles are taken', async () => {
  const { id } = (await world.ask('drafts.create', { name: 'New project' })) as { id: string };
  const given = { init_from: 'HuggingFaceTB/SmolLM2-135M' };
  const saved = (await world.ask('drafts.save', { id, given })) as { given: object; files: unknown[] };
  expect(saved).toMatchObject({ given, files: [] });
  await expect(world.ask('drafts.save', { id, given: { init_from: '/etc/passwd' } })).rejects.toMatchObject({
    field: 'init_from',
  });
});
