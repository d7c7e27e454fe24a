/** Whole projects with a cycle on WebGPU: a reward model or a critic with GRPO, and the voice. SwiftShader stands in for a GPU. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import { LAST_LOSS, lastLoss } from '../../../main/jobs/machine/card-check.js';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { tinyLlama } from '../../support/engine.js';
import { writeLongWords } from '../../support/long-words.js';
import { useSwiftshader } from '../../support/swiftshader.js';
import { projectRequest, quick, temporaryFolder, testContext } from '../context.js';
import { writeModel } from './teacher-model.js';

vi.setConfig({ testTimeout: 3_600_000 });
const home = temporaryFolder();
const text = writeLongWords(home);
const init_from = join(home, 'model');
const { tokenization: _tokenization, n_layer: _layers, n_head: _heads, n_embd: _width, ...forModel } = quick;
const ways = {
  head: { ...quick, ...text },
  critic: {
    ...{ ...quick, ...text, reward_kind: 'critic', reward_shape: 'expected_log_ratio', critic_length: 8 },
    ...{ samples_per_chunk: 4, reward_train_samples: 256, reward_val_samples: 64, ptx_coef: 1, ptx_targets: 'critic' },
  },
  voice: { ...forModel, data_path: text.data_path, reward_kind: 'voice', init_from, tune: 'lora', beta: 0.1 },
} as const;

beforeAll(() => {
  useSwiftshader();
  const tokenizer = readFileSync(text.tokenizer_path, 'utf8');
  writeModel(init_from, { ...tinyLlama, vocab_size: 13 }, { seed: 1, tokenizer });
});
const runtime = () => loadRuntime({ bindingPath: null, device: 'webgpu' });

it('has the loss by which a card is checked', async () => {
  expect(await lastLoss(await runtime())).toBeCloseTo(LAST_LOSS, 4);
});

it.each(Object.keys(ways) as (keyof typeof ways)[])('runs from text to an improved model: %s', async (way) => {
  const { context, events } = testContext();
  const results = await cycleJob(projectRequest(join(home, way), ways[way]), { ...context, runtime });
  expect(results['cycles']).toHaveLength(1);
  const trained = events.flatMap((event) => (event.event === 'metrics' && event.cycle === 1 ? [event.phase] : []));
  expect(trained).toContain('grpo');
});
