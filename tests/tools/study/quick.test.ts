/** `npm run study -- --quick` from end to end, on next to nothing: what it writes has the form that others read. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { sampleTextPath } from '../../../main/installation/locations.mjs';
import { main } from '../../../tools/study/index.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-quick-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const next = { n_layer: 1, n_head: 2, n_embd: 16, block_size: 16, batch_size: 8, max_iters: 20, eval_interval: 20 };
const toNothing = {
  ...{ eval_iters: 2, critic_length: 20, judge_length: 2, reward_max_iters: 10, reward_eval_interval: 10 },
  ...{ reward_train_samples: 128, reward_val_samples: 128, grpo_max_steps: 2, grpo_eval_prompts: 16 },
  // Each cycle compiles everything again.
  max_cycles: 1,
};

it('writes one seed as JSON, with every figure', async () => {
  const [text, json] = [join(folder, 'text.txt'), join(folder, 'result.json')];
  writeFileSync(text, readFileSync(sampleTextPath(), 'utf8').slice(0, 30_000));
  const set = JSON.stringify({ ...next, ...toNothing });
  const flags = ['--quick', '--seed', '3', '--data_path', text, '--threads', '1', '--set', set, '--json', json];
  expect(await main(process.cwd(), flags)).toBe(0);
  const result = JSON.parse(readFileSync(json, 'utf8')) as Readonly<Record<string, unknown>>;
  const figure = expect.any(Number) as number;
  expect(result).toEqual({
    reward_r2: { head: figure, token: figure, critic: figure, hybrid: figure },
    default_kind: 'critic',
    judge_gain_nats: figure,
    perplexity_change: figure,
    distinct3_ratio: figure,
    copied_ratio: expect.toSatisfy((ratio: unknown) => ratio === null || typeof ratio === 'number') as number,
    fresh_discriminator_r2: [figure, figure],
  });
}, 900_000);
