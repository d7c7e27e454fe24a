// A model that is named as the hub has it: offered, confirmed, downloaded once, trained and used by its name without a network.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { initialWeights } from '../../main/engine/model/model.js';
import { writeHuggingFaceModel } from '../../main/formats/huggingface.js';
import { modelsJob } from '../../main/jobs/commands/models.js';
import { sampleJob } from '../../main/jobs/commands/sample.js';
import { trainJob } from '../../main/jobs/commands/train.js';
import { fetchNamedModel, openAnyModel } from '../../main/jobs/models.js';
import { trainProblems, fileFacts } from '../../main/jobs/problems.js';
import { projectConfigOf } from '../../main/jobs/project/project-settings.js';
import { trainCommandShape } from '../../shared/config/commands.js';
import { dataShape } from '../../shared/config/data.js';
import type { Message } from '../../shared/messages/message.js';
import { inEnglish } from '../support/messages.js';
import { faultOfAsync } from '../storage/fault-of.js';
import { serveHub, type HubServer } from '../storage/hub/hub-server.js';
import { tinyLlama } from '../support/engine.js';
import { projectSettings, temporaryFolder, testContext } from './context.js';

const NAME = 'some/tiny-llama';
const VOCABULARY = 1000;
const home = temporaryFolder();
const at = (...names: string[]) => join(home, ...names);
let hub: HubServer;

beforeAll(async () => {
  const cases = join(import.meta.dirname, '../engine/tokenizer/pretrained-cases.json');
  const { smollm } = JSON.parse(readFileSync(cases, 'utf8')) as { readonly smollm: { readonly tokenizer: object } };
  const config = { ...tinyLlama, vocab_size: VOCABULARY };
  const files = writeHuggingFaceModel(config, initialWeights(config, 3));
  hub = await serveHub({
    [NAME]: {
      files: {
        'config.json': Buffer.from(files['config.json']),
        'model.safetensors': Buffer.concat([...files['model.safetensors']]),
        'tokenizer.json': Buffer.from(JSON.stringify(smollm.tokenizer)),
      },
    },
  });
  vi.stubEnv('HF_ENDPOINT', hub.endpoint);
  vi.stubEnv('XDG_CACHE_HOME', at('cache'));
  writeFileSync(at('book.txt'), 'Call me Ishmael. Some years ago, never mind how long precisely.\n'.repeat(30));
});
afterAll(() => {
  hub.close();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

const data = z.object(dataShape).parse({ data_path: at('book.txt') });
const settings = (out: string) =>
  z.object(trainCommandShape).parse({
    ...data,
    init_from: NAME,
    out_dir: at(out),
    device: 'cpu',
    threads: 1,
    preset: 'none',
    max_iters: 2,
    eval_interval: 2,
    batch_size: 2,
    block_size: 8,
    warmup_iters: 1,
  });

it('is no problem before it is there, and is not fetched where the person says no', async () => {
  expect(trainProblems(settings('out'), fileFacts)).toEqual([]);
  const { context, events } = testContext();
  const questions: Message[] = [];
  const refuse = async (question: Message) => questions.push(question) === 0;
  expect(await faultOfAsync(trainJob(settings('out'), { ...context, confirm: refuse }))).toMatchObject({
    code: 'stopped',
  });
  expect(questions).toHaveLength(1);
  expect(hub.sent).toBe(0);
  expect(events).toMatchObject([{ event: 'notice', code: 'hub_model' }]);
  const [shown] = events;
  expect(shown?.event === 'notice' && inEnglish(shown.message as Message)).toMatch(
    /^some\/tiny-llama: .* to download, licence apache-2\.0, to .*models\/some--tiny-llama; .* are free there\.$/,
  );
});

it('ends when the person stops it, and the next time resumes', async () => {
  hub.pace = { bytes: 20_000, pause: 60 };
  const { context } = testContext((event) => event.event === 'progress');
  expect(await faultOfAsync(fetchNamedModel(NAME, context))).toMatchObject({ code: 'stopped' });
  expect((await modelsJob({}, context))['models']).toContainEqual(
    expect.objectContaining({ id: NAME, state: 'partial', source: 'hub' }),
  );
  hub.pace = { bytes: Infinity, pause: 0 };
});

it('is fetched once, with progress, and trained and used by its name without a network', async () => {
  const { context, events } = testContext();
  const results = await trainJob(settings('out'), { ...context, confirm: async () => true });
  expect(results['iterations']).toBe(2);
  expect(events).toContainEqual(expect.objectContaining({ event: 'progress', phase: 'prepare', unit: 'bytes' }));
  expect(openAnyModel(at('out'), { context }).tokenization.method).toBe('pretrained');

  hub.close();
  const again = testContext();
  const prompt = {
    prompt: 'Call me',
    num_samples: 1,
    max_new_tokens: 3,
    temperature: 1,
    top_k: null,
    top_p: 1,
    seed: 1,
  };
  const sampled = { ...prompt, model_path: NAME, device: 'cpu', threads: 1 };
  expect(await sampleJob(sampled as never, again.context)).toMatchObject({ samples: [{ prompt: 'Call me' }] });
  expect(again.events.filter((event) => event.event === 'notice' && event.code === 'hub_model')).toEqual([]);
  // The same run again finds its result: the model it began from has not changed.
  expect(await trainJob(settings('out'), context)).toEqual(results);
});

it('keeps its name in a project, unless there is a folder of that name', () => {
  const given = { project: at('book'), data_path: at('book.txt'), preset: 'nano', init_from: NAME };
  expect(projectConfigOf(projectSettings(given)).init_from).toBe(NAME);
  const back = process.cwd();
  try {
    process.chdir(home);
    mkdirSync(NAME, { recursive: true });
    expect(projectConfigOf(projectSettings(given)).init_from).toBe(at(NAME));
  } finally {
    process.chdir(back);
    rmSync(at('some'), { recursive: true });
  }
});

it('is listed and removed by the command for models', async () => {
  const { context } = testContext();
  const ids = async () =>
    ((await modelsJob({}, context))['models'] as { readonly id: string; readonly state: string }[])
      .filter(({ state }) => state === 'present')
      .map(({ id }) => id);
  expect(await ids()).toEqual([NAME]);
  expect(await modelsJob({ fetch: NAME }, context)).toMatchObject({ fetched: NAME });
  expect(await modelsJob({ remove: NAME }, context)).toEqual({ removed: NAME });
  expect(await ids()).toEqual([]);
  expect(await faultOfAsync(modelsJob({ remove: NAME }, context))).toMatchObject({ code: 'file_not_found' });
  expect(await faultOfAsync(modelsJob({ fetch: 'nonsense' }, context))).toMatchObject({ code: 'bad_input' });
});
