/**
 * A whole project by two processes together: what one alone finds, and on from where the two were stopped, alone. Every process
 * costs seconds to begin; more ranks: `npm run cluster`.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, smallest, temporaryFolder, verisim, writeText } from '../cli/program.js';
import { ranks } from './ranks.js';

beforeAll(build);

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const text = writeText(folder);
const settings = [
  ...[...smallest, '--data_path', text, '--max_iters', '30', '--eval_interval', '15', '--warmup_iters', '2'],
  ...['--learning_rate', '0.02', '--reward_kind', 'critic', '--reward_shape', 'expected_log_ratio'],
  ...['--reward_train_samples', '100', '--reward_val_samples', '100', '--generation_batch_size', '16'],
  ...['--reward_max_iters', '8', '--reward_eval_interval', '4', '--group_size', '3', '--prompts_per_step', '3'],
  ...['--grpo_max_steps', '4', '--grpo_eval_prompts', '7', '--ptx_coef', '1', '--ptx_batch_size', '3'],
  ...['--judge_passages', '9', '--max_cycles', '1', '--seed', '5'],
];
const cycle = (project: string) => ['cycle', join(folder, project), ...settings];

interface Report {
  readonly [key: string]: unknown;
}
const reportOf = (project: string, number: string) =>
  JSON.parse(readFileSync(join(folder, project, 'cycles', number, 'report.json'), 'utf8')) as Report;

/** Every number of a report by its path. */
const numbersOf = (value: unknown, path = ''): [string, number][] => {
  if (typeof value === 'number') return [[path, value]];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inside]) => numbersOf(inside, `${path}/${key}`));
};

it('two ranks begin, are stopped, and one goes on to the report of one, to 1e-3; rank 0 alone keeps what is made', async () => {
  const one = await verisim(cycle('one'));
  expect([one.code, one.stderr]).toEqual([0, '']);
  let isStopped = false;
  const two = await ranks(2, (rank) => ({
    args: [...cycle(rank === 0 ? 'many' : 'away'), '--json'],
    onOutput(output, child) {
      if (rank !== 0 || isStopped || !/"event":"metrics","phase":"grpo","step":2/.test(output)) return;
      isStopped = true;
      child.kill('SIGINT');
    },
  }));
  expect(two.map(({ code }) => code)).toEqual([130, 130]);
  const alone = await verisim(['cycle', join(folder, 'many')]);
  expect([alone.code, alone.stderr]).toEqual([0, '']);
  expect(existsSync(join(folder, 'away'))).toBe(false);
  for (const number of ['00', '01']) {
    const [alone, together] = [reportOf('one', number), new Map(numbersOf(reportOf('many', number)))];
    const far = numbersOf(alone).filter(
      ([path, value]) =>
        !/second/.test(path) && !(Math.abs((together.get(path) ?? NaN) - value) < 1e-3 * Math.max(1, Math.abs(value))),
    );
    expect(far).toEqual([]);
  }
}, 300_000);
