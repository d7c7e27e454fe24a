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
  ...{ eval_iters: 2, critic_length: 2, judge_length: 2, reward_max_iters: 10, reward_eval_interval: 10 },
  ...{ reward_train_samples: 128, reward_val_samples: 128, grpo_max_steps: 2, grpo_eval_prompts: 16 },
  // Each cycle compiles everything again.
  max_cycles: 1,
};

type Three = [string, string, string];
const judge = { ...next, n_layer: 1, block_size: 32, vocab: 300 };

it('writes one seed as JSON, with every figure', async () => {
  const [text, other, json] = ['text.txt', 'other.txt', 'result.json'].map((name) => join(folder, name)) as Three;
  const book = readFileSync(sampleTextPath(), 'utf8');
  writeFileSync(text, book.slice(0, 30_000));
  writeFileSync(other, book.slice(30_000, 60_000));
  const set = JSON.stringify({ ...next, ...toNothing });
  const flags = ['--quick', '--seed', '3', '--data_path', text, '--threads', '1', '--set', set, '--json', json];
  flags.push('--judge_path', other, '--judge_set', JSON.stringify(judge), '--tokenization', 'char');
  expect(await main(process.cwd(), flags)).toBe(0);
  const result = JSON.parse(readFileSync(json, 'utf8')) as Readonly<Record<string, unknown>>;
  const figure = expect.any(Number) as number;
  const maybe = expect.toSatisfy((one: unknown) => one === null || typeof one === 'number') as number;
  expect(result).toEqual({
    reward_r2: { head: figure, token: figure, critic: figure, hybrid: figure },
    default_kind: 'critic',
    judge_gain_nats: figure,
    perplexity_change: figure,
    distinct3_ratio: figure,
    copied_ratio: expect.toSatisfy((ratio: unknown) => ratio === null || typeof ratio === 'number') as number,
    fresh_discriminator_r2: [figure, figure],
    cycle_gain: maybe,
    cycle_gain_interval: expect.toSatisfy((of: unknown) => of === null || typeof of === 'object') as object,
    rivals: {
      temperature: maybe,
      trained_on: maybe,
      trained_gently: maybe,
      top_p: maybe,
      distilled: maybe,
      distilled_text: maybe,
      best_of_n: maybe,
      critic: maybe,
    },
    best_rival: expect.any(String) as string,
    ratio: maybe,
    lead: expect.any(Object) as object,
    paid: expect.any(Boolean) as boolean,
    same_size: expect.any(Object) as object,
    offered: expect.any(Object) as object,
    with_top_p: expect.any(Object) as object,
    advice: 'train_first',
  });
}, 900_000);
