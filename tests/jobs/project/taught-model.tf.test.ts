// A model that could write before under a larger one of its family: the same tokens, its own network, and exact when resumed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { continueText } from '../../../main/jobs/commands/continue-text.js';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { openAnyModel } from '../../../main/jobs/models.js';
import { learnedFrom } from '../../../main/jobs/writing/learned.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { learnTokenizer } from '../../../main/storage/datasets/tokenizer-files.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { writeText } from '../../cli/program.js';
import { tinyLlama } from '../../support/engine.js';
import { projectRequest, temporaryFolder, testContext } from '../context.js';
import { bytes, learnText, smollm, writeModel } from './teacher-model.js';

// The critic is tuned for as many steps as in any project.
vi.setConfig({ testTimeout: 300_000 });

const home = temporaryFolder();
const text = writeText(home);
const TOKENS = Object.keys(smollm.tokenizer.model.vocab).length;
/** The larger one has room for more tokens than the smaller, as Qwen's do. */
const [small, asItComes, large, other] = ['small', 'as it comes', 'large', 'other'].map((name) => join(home, name)) as [
  string,
  string,
  string,
  string,
];
const modelOf = (changes: Partial<GPTConfig>): GPTConfig => ({ ...tinyLlama, ...changes });

beforeAll(async () => {
  writeModel(small, modelOf({ vocab_size: TOKENS + 3 }), { seed: 1 });
  writeModel(asItComes, modelOf({ vocab_size: TOKENS + 1, n_embd: 24, n_layer: 3 }), { seed: 24 });
  await learnText(text, asItComes, large);
  const learned = await learnTokenizer(new Map([['the', 9]]), 258);
  writeModel(other, modelOf({ vocab_size: 300 }), { seed: 1, tokenizer: learned.files['tokenizer.json'] });
});

const given = {
  ...{ data_path: text, preset: 'smollm2', threads: 1, init_from: small, critic_from: large },
  ...{ block_size: 8, eval_block_size: 16, batch_size: 4, max_iters: 4, eval_interval: 4, eval_iters: 2 },
  ...{ reward_train_samples: 8, reward_val_samples: 8, grpo_max_steps: 3, grpo_eval_prompts: 4 },
  ...{ cycle_patience: 9 },
};
const request = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  projectRequest(join(home, name), { ...given, ...more });

it('is a whole project whose critic is the larger model, with adapters where the writer has some', async () => {
  const { context } = testContext();
  const whole = request('whole');
  const results = await cycleJob(whole, context);
  expect(results['cycles']).toHaveLength(1);
  const { config } = openProject(whole.folder);
  expect(config).toMatchObject({ tune: 'lora', reward_shape: 'expected_log_ratio', ptx_targets: 'critic' });
  expect(config.vocab_size).toBe(TOKENS + 3);
  const [writer, critic] = ['base_model_v1', 'critic_model_v1'].map(
    (name) => openAnyModel(join(whole.folder, 'checkpoints', name), { context }).config,
  );
  // Both read held-out text in windows of 16, and one more for what follows it.
  expect(critic).toMatchObject({ ...config.critic_network, n_embd: 24, n_layer: 3, lora: { rank: 16 } });
  expect(critic?.vocab_size).toBe(TOKENS + 3);
  expect(critic?.eval_block_size).toBe(writer?.eval_block_size);
  expect(writer).toMatchObject({ n_embd: tinyLlama.n_embd, lora: { rank: 16 } });
});

it('says before the first choice which continuation is most like the text', async () => {
  const folder = join(home, 'whole');
  const drawing = { temperature: 1, top_p: 1, min_p: 0, repetition_penalty: 1, seed: 3 };
  const wanted = { folder, model: 'base_model_v1', before: 'the whale ', words: 5, ...drawing };
  const write = (count: number) => continueText({ ...wanted, count }, testContext().context, () => undefined);
  const { texts, voices } = await write(3);
  expect(new Set(voices.filter(Number.isFinite)).size).toBe(3);
  const { favourite } = learnedFrom(folder);
  expect(favourite('', ['a b', 'a b', 'a b'], voices)).toBe(voices.indexOf(Math.max(...voices)));
  expect(favourite('', texts, [])).toBeNull();
  expect((await write(1)).voices).toEqual([]);
});

it('ends in the same bytes when it was stopped in GRPO', async () => {
  const stopped = request('stopped');
  const { context } = testContext((event) => event.event === 'metrics' && event.phase === 'grpo' && event.step === 1);
  await expect(cycleJob(stopped, context)).rejects.toMatchObject({ code: 'stopped' });
  await cycleJob({ ...stopped, settings: null, given: {} }, testContext().context);
  expect(bytes(stopped.folder, 'base_model_v2')).toBe(bytes(join(home, 'whole'), 'base_model_v2'));
});

it('trains nothing where the two have other tokens, and says so', async () => {
  const wrong = request('wrong', { init_from: other });
  const fault = await cycleJob(wrong, testContext().context).catch((error: unknown) => error);
  expect(fault).toMatchObject({ code: 'tokenization_mismatch', field: 'critic_from' });
  expect(String((fault as { hint?: unknown }).hint)).toContain('larger one of the same family');
  expect(existsSync(wrong.folder)).toBe(false);
});
