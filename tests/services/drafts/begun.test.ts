// Drafts that begin from a model: what it decides is told from its files, and what is wrong with it at once, by name.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parameterCount } from '../../../shared/architectures/index.js';
import type { Beginning, Draft } from '../../../shared/contract/drafts.js';
import type { Estimate, GivenSettings } from '../../../shared/contract/values.js';
import type { Problem } from '../../../shared/config/checks.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { absentSupervisor } from '../../../main/services/machine/absent-supervisor.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { saveModel } from '../../../main/storage/projects/models.js';
import { tinyLlama } from '../../support/engine.js';
import { inEnglish } from '../../support/messages.js';
import { createWorld, type World } from '../../ipc/world.js';

let world: World;
const started: string[] = [];
const chars = [...'\n abcdef'];
const small = { ...tinyLlama, n_layer: 1, block_size: 64 };
beforeEach(() => {
  world = createWorld({ supervisor: { ...absentSupervisor(), start: async (folder) => void started.push(folder) } });
  const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
  const weights = initialWeights(small, 5);
  saveModel(at('tiny-llama'), { weights, config: small, tokenization, provenance: {} });
});
afterEach(() => world.close());

const at = (name: string) => join(world.folder, name);
const handle = (path: string) => world.services.files.give(path).handle;
const begun = async (init_from: string, given: GivenSettings = {}): Promise<string> => {
  const { id } = (await world.ask('drafts.create', { name: 'New project' })) as Draft;
  const all = { data_path: handle(world.text), init_from, ...given };
  await world.ask('drafts.save', { id, preset: 'smollm2', given: all });
  return id;
};
interface Check {
  readonly problems: readonly Problem[];
  readonly begins_from: Beginning | null;
  readonly estimate: Estimate | null;
}
const check = (id: string): Promise<Check> => world.ask('drafts.check', { id });

it('tells what the model decides, and estimates with its network', async () => {
  const { problems, begins_from, estimate } = await check(
    await begun(handle(at('tiny-llama')), { block_size: 16, tune: 'full' }),
  );
  expect(problems).toEqual([]);
  expect(begins_from).toEqual({
    ...{ name: 'tiny-llama', architecture: 'llama', parameters: parameterCount(small), layers: 1 },
    ...{ heads: small.n_head, kv_heads: small.llama?.n_kv_head, width: small.n_embd, vocabulary: small.vocab_size },
    ...{ context: small.llama?.max_positions, tokenization: 'char' },
  });
  expect(estimate?.parameters).toBe(parameterCount(small));
});

it('a context that is too long is mended by the model’s own', async () => {
  const longest = Number(small.llama?.max_positions);
  const { problems } = await check(await begun(handle(at('tiny-llama')), { block_size: longest + 1 }));
  expect(problems).toEqual([
    expect.objectContaining({ field: 'block_size', severity: 'error', fix: { set: { block_size: longest } } }),
  ]);
});

it('what cannot be begun from is named at once, and nothing is told of it', async () => {
  mkdirSync(at('mamba'));
  writeFileSync(at('mamba/config.json'), JSON.stringify({ model_type: 'mamba' }));
  writeFileSync(at('broken.gguf'), 'GGUF, but no more than that');
  for (const [name, says] of [
    ['mamba', /mamba/],
    ['broken.gguf', /broken\.gguf/],
  ] as const) {
    const { problems, begins_from } = await check(await begun(handle(at(name))));
    expect(problems, name).toHaveLength(1);
    expect(problems[0]).toMatchObject({ field: 'init_from', severity: 'error' });
    expect(problems[0] && inEnglish(problems[0].message)).toMatch(says);
    expect(begins_from).toBeNull();
  }
});

it('a model of the hub that was not fetched is no missing file', async () => {
  const { problems } = await check(await begun('nobody/has-this-model'));
  expect(problems).toEqual([
    expect.objectContaining({
      field: 'init_from',
      message: { code: 'drafts.machine_yet', params: { path: 'nobody/has-this-model' } },
    }),
  ]);
  expect(problems[0]?.trouble).toBeUndefined();
});

it('the preset for such models needs one', async () => {
  const { id } = (await world.ask('drafts.create', { name: 'New project' })) as Draft;
  await world.ask('drafts.save', { id, preset: 'smollm2', given: { data_path: handle(world.text) } });
  const { problems } = await check(id);
  expect(problems).toEqual([expect.objectContaining({ field: 'init_from', severity: 'error' })]);
});

it('the project says what it began from, and a duplicate begins from it as well', async () => {
  const id = await begun(handle(at('tiny-llama')), { block_size: 16, max_iters: 7 });
  const { project } = (await world.ask('drafts.start', { id })) as { project: string };
  expect(openProject(started.at(-1) ?? '').config).toMatchObject({ init_from: at('tiny-llama'), block_size: 16 });
  const { summary } = (await world.ask('projects.get', { id: project })) as { summary: object };
  expect(summary).toMatchObject({ begins_from: 'tiny-llama', preset: 'smollm2' });
  const copy = (await world.ask('drafts.create', { name: 'A copy', project })) as Draft;
  expect(copy.preset).toBe('smollm2');
  expect(Object.keys(copy.given).sort()).toEqual([
    ...['block_size', 'data_path', 'init_from', 'max_iters', 'train_minutes'],
  ]);
  expect((await check(copy.id)).problems).toEqual([]);
});

it('a fork begins from a finished model of a project, with the settings it has', async () => {
  const folder = world.makeProject('original', { block_size: 16, max_iters: 9, tokenization: 'char' });
  const model = join(folder, 'checkpoints', 'base_model_v2');
  const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
  saveModel(model, { weights: initialWeights(small, 5), config: small, tokenization, provenance: {} });
  const [project] = ((await world.ask('projects.list', {})) as { projects: { id: string }[] }).projects;
  const of = { project: project?.id, model: 'base_model_v2' };
  const draft = (await world.ask('drafts.create', { ...of, name: 'A fork' })) as Draft;
  expect(draft).toMatchObject({ name: 'A fork', given: { block_size: 16, max_iters: 9 } });
  expect(world.services.files.pathOf(String(draft.given['init_from']))).toBe(model);
  // What the model decides is not said again.
  for (const key of ['tokenization', 'n_layer', 'n_embd']) expect(draft.given).not.toHaveProperty(key);
  const { problems, begins_from } = await check(draft.id);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(begins_from).toMatchObject({ layers: 1, width: small.n_embd, tokenization: 'char' });
  await world.ask('drafts.start', { id: draft.id });
  expect(openProject(started.at(-1) ?? '').config).toMatchObject({ init_from: model, block_size: 16, max_iters: 9 });
  for (const name of ['base_model_v3', 'reward_model_v1', '../../data']) {
    await expect(world.ask('drafts.create', { ...of, name: 'A fork', model: name })).rejects.toMatchObject({
      code: 'file_not_found',
    });
  }
});
