/**
 * A project as other programs train it on. What reward.py computes was compared with the engine by hand; here:
 * everything it reads is there and says what the project is.
 */
import '../../support/messages.js';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeSafetensors } from '../../../main/formats/safetensors.js';
import { loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';
import { exportJob } from '../../../main/jobs/export/export.js';
import { promptLines } from '../../../main/jobs/export/trl.js';
import { newProjectJob } from '../../../main/jobs/project/cycle.js';
import { modelConfigSchema } from '../../../shared/config/model.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { addUntrainedModels, addUntrainedRewardModels } from '../../support/untrained-project.js';
import { projectRequest, temporaryFolder, testContext, untrained } from '../context.js';

const home = temporaryFolder();
const [folder, out] = [join(home, 'book'), join(home, 'out')];
const { context } = testContext();
const exported = (model_path: string, given: { out_dir?: string; language?: 'de' } = {}) =>
  exportJob({ model_path, out_dir: out, format: 'trl', ...given }, context);
const text = (name: string) => readFileSync(join(out, name), 'utf8');

beforeAll(async () => {
  const given = { ...untrained, data_path: writeText(home), group_size: 5, temperature: 0.9 };
  await newProjectJob(projectRequest(folder, given), context);
  addUntrainedModels(folder, ['base_model_v1']);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('needs a project with a reward model', async () => {
  expect(await faultOfAsync(exported(join(folder, 'checkpoints/base_model_v1')))).toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('is not a project') as string,
  });
  expect(await faultOfAsync(exported(folder))).toMatchObject({
    code: 'checkpoint',
    message: `${folder} has no reward model yet`,
  });
});

it('has a tokenizer of the model’s characters, prompts of its text, the reward model and the project’s settings', async () => {
  addUntrainedRewardModels(folder, ['reward_model_v1']);
  await exported(folder);
  const { vocab_size } = JSON.parse(text('config.json')) as { readonly vocab_size: number };
  const tokenizer = JSON.parse(text('tokenizer.json')) as {
    readonly model: { readonly vocab: Readonly<Record<string, number>> };
    readonly added_tokens: readonly { readonly id: number }[];
  };
  // The end that programs ask for is no token of the model: it is never written.
  expect(tokenizer.added_tokens).toMatchObject([{ id: vocab_size }]);
  expect(Object.values(tokenizer.model.vocab)).toEqual(Array.from({ length: vocab_size + 1 }, (_, id) => id));
  const book = readFileSync(join(home, 'input.txt'), 'utf8');
  const prompts = text('prompts.jsonl').trimEnd().split('\n');
  expect(prompts.length).toBe(4096);
  for (const line of prompts.slice(0, 50)) {
    const { prompt } = JSON.parse(line) as { readonly prompt: string };
    expect(prompt.length).toBe(16);
    expect(book).toContain(prompt);
  }
  const settings = JSON.parse(text('settings.json')) as object;
  expect(settings).toMatchObject({ reward_kind: 'head', group_size: 5, temperature: 0.9, block_size: 32 });
  const keys = [...`${text('reward.py')}${text('train_trl.py')}`.matchAll(/settings\["(\w+)"\]/g)].map(
    ([, key]) => key,
  );
  expect(Object.keys(settings)).toEqual(expect.arrayContaining(keys));
  const head = decodeSafetensors(readFileSync(join(out, 'reward-head.safetensors')));
  expect(Object.keys(head.arrays).sort()).toEqual(
    [0, 2].flatMap((n) => ['bias', 'weight'].map((of) => `reward_head.${n}.${of}`)),
  );
});

it('has prompts of whole characters, though each has several tokens', async () => {
  const book = '我喜欢捕鲸船😀！'.repeat(40);
  const path = join(home, 'train.bin');
  writeFileSync(path, Uint16Array.from((await loadBpeTokenizer()).encode(book)));
  const config = modelConfigSchema.parse({ vocab_size: 50_257, block_size: 16 });
  const lines = (await promptLines({ config, tokenization: { method: 'bpe', vocab_size: 50_257 } }, path)).trimEnd();
  const prompts = lines.split('\n').map((line) => (JSON.parse(line) as { readonly prompt: string }).prompt);
  expect(prompts.length).toBeGreaterThan(500);
  expect(prompts.filter((prompt) => prompt === '' || !book.includes(prompt))).toEqual([]);
});

it('explains itself in the requested language; the scripts stay the same', async () => {
  const german = join(home, 'german');
  await exported(folder, { out_dir: german, language: 'de' });
  const [readme, ...scripts] = ['README.txt', 'reward.py', 'train_trl.py'].map((name) => [
    text(name),
    readFileSync(join(german, name), 'utf8'),
  ]);
  expect(readme?.map((each) => each.split('\n')[0])).toEqual([
    'This model and its reward were exported by Verisim for training with TRL.',
    'Dieses Modell und seine Belohnung hat Verisim für das Training mit TRL exportiert.',
  ]);
  for (const [here, there] of scripts) expect(there).toBe(here);
});
