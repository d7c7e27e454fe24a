// A small writer under a critic that can write already: in tokens of that model, started from its weights, and exact when resumed.
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { cycleJob, newProjectJob } from '../../../main/jobs/project/cycle.js';
import { settingsAgain } from '../../../main/jobs/project/project-settings.js';
import { openAnyModel } from '../../../main/jobs/models.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { generatorOf } from '../../../shared/config/model.js';
import { peakMemory } from '../../../shared/costs/memory.js';
import { writeText } from '../../cli/program.js';
import { tinyLlama } from '../../support/engine.js';
import { projectRequest, temporaryFolder, testContext } from '../context.js';
import { bytes, learnText, smollm, writeModel } from './teacher-model.js';

// The critic is tuned for as many steps as in any project.
vi.setConfig({ testTimeout: 300_000 });

const home = temporaryFolder();
const text = writeText(home);
const teacher = join(home, 'teacher');
const folderOfTeacher = join(home, 'as it comes');
const VOCABULARY = 330;
const config = { ...tinyLlama, vocab_size: VOCABULARY };

beforeAll(async () => {
  writeModel(folderOfTeacher, config, { seed: 3 });
  await learnText(text, folderOfTeacher, teacher);
});

const given = {
  ...{ data_path: text, preset: 'nano', threads: 1, vocab: 300 },
  ...{ n_layer: 1, n_head: 2, n_embd: 16, block_size: 8, batch_size: 4, max_iters: 4, eval_interval: 4, eval_iters: 2 },
  ...{ reward_train_samples: 8, reward_val_samples: 8, grpo_max_steps: 3, grpo_eval_prompts: 4 },
};
const request = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  projectRequest(join(home, name), { ...given, critic_from: teacher, ...more });

it('is a whole project whose critic is that model with the rows of the tokens that the text uses', async () => {
  const { context, events } = testContext();
  const whole = request('whole');
  const results = await cycleJob(whole, context);
  expect(results['cycles']).toHaveLength(1);
  const project = openProject(whole.folder);
  expect(project.config).toMatchObject({ critic_from: teacher, reward_shape: 'expected_log_ratio', num_iterations: 4 });
  const size = project.config.vocab_size;
  expect(size).toBeLessThanOrEqual(300);
  const critic = openAnyModel(join(whole.folder, 'checkpoints/critic_model_v1'), { context });
  expect(critic.config).toEqual(project.config.critic_network);
  expect(critic.config).toMatchObject({
    architecture: 'llama',
    vocab_size: size,
    block_size: 8,
    n_embd: config.n_embd,
  });
  // Two small steps from where it began: the row of a token is near its row in the whole vocabulary, and far from others'.
  const own = JSON.parse(readFileSync(join(whole.folder, 'data/tokenizer.json'), 'utf8')) as typeof smollm.tokenizer;
  const [rows, before] = [critic, openAnyModel(teacher, { context })]
    .map(({ weights }) => weights)
    .map((of) => of['model.embed_tokens.weight']);
  const far = (row: number, of: number) => {
    const at = (array: typeof rows, i: number, from: number) => array?.data[from * config.n_embd + i] ?? Number.NaN;
    return Math.hypot(...Array.from({ length: config.n_embd }, (_, i) => at(rows, i, row) - at(before, i, of)));
  };
  const tokens = Object.entries(own.model.vocab);
  expect(tokens).toHaveLength(size);
  for (const [token, id] of tokens) {
    const place = smollm.tokenizer.model.vocab[token] ?? -1;
    // Tuning moves rows by less than one token differs from another.
    expect(far(id, place), token).toBeLessThan(0.5 * far(id, (place + 1) % VOCABULARY));
  }
  const reasons = events.flatMap((event) =>
    event.event === 'phase' && event.phase === 'prepare' ? [event.message] : [],
  );
  expect(JSON.stringify(reasons.at(-1))).toContain(`"tokens.reason.shared","params":{"tokens":{"count":${size}}}`);
});

it('ends in the same bytes when it was stopped while the critic was tuned', async () => {
  const stopped = request('stopped');
  const { context } = testContext((event) => event.event === 'metrics' && event.phase === 'critic');
  await expect(cycleJob(stopped, context)).rejects.toMatchObject({ code: 'stopped' });
  expect(existsSync(join(stopped.folder, 'checkpoints/critic_model_v1'))).toBe(false);
  await cycleJob({ ...stopped, settings: null, given: {} }, testContext().context);
  for (const name of ['critic_model_v1', 'base_model_v2']) {
    expect(bytes(stopped.folder, name), name).toBe(bytes(join(home, 'whole'), name));
  }
});

it('goes on in another project under the same teacher, in the same tokens', async () => {
  const { given: again } = settingsAgain(join(home, 'whole'), 'base_model_v2');
  expect(again).toMatchObject({ critic_from: teacher });
  const onward = { ...again, grpo_max_steps: 1 };
  const folder = join(home, 'onward');
  const results = await cycleJob(projectRequest(folder, onward), testContext().context);
  expect(results['cycles']).toHaveLength(1);
  const [before, now] = ['whole', 'onward'].map((name) => openProject(join(home, name)).config);
  expect(now).toMatchObject({ vocab_size: before?.vocab_size, critic_network: before?.critic_network });
});

it('counts the critic’s own network into the memory that is needed', async () => {
  const { folder } = request('whole');
  const { config: made } = openProject(folder);
  const model = generatorOf(made, made.vocab_size);
  const wide = { ...made, critic_network: { ...config, n_embd: 1024, n_layer: 8 } };
  expect(peakMemory({ config: wide, model }, {})).toBeGreaterThan(1.2 * peakMemory({ config: made, model }, {}));
});

it('keeps the network that it took over, and says by name that the model went away', async () => {
  const { context } = testContext();
  const folder = join(home, 'late');
  await newProjectJob(request('late'), context);
  const away = join(home, 'moved');
  const { critic_network } = openProject(folder).config;
  expect(critic_network).toMatchObject({ architecture: 'llama' });
  renameSync(teacher, away);
  await expect(cycleJob({ folder, settings: null, given: {} }, context)).rejects.toMatchObject({
    field: 'critic_from',
  });
  renameSync(away, teacher);
});
