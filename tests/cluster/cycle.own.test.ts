/** A whole project by two processes has the reports of one, and one process continues where the two were stopped. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { smallest, temporaryFolder, verisim, writeText } from '../cli/program.js';
import { ranks } from './ranks.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const project = (name: string) => join(folder, name);

/** Every part of a project: critic, expected rewards, the mix with text that is learned from the critic, the judge. */
const settings = [
  ...[
    ...smallest,
    '--data_path',
    writeText(folder),
    '--max_iters',
    '30',
    '--eval_interval',
    '15',
    '--warmup_iters',
    '2',
  ],
  ...['--learning_rate', '0.02', '--reward_kind', 'critic', '--reward_shape', 'expected_log_ratio'],
  ...['--reward_train_samples', '100', '--reward_val_samples', '100'],
  ...['--reward_max_iters', '8', '--group_size', '3', '--prompts_per_step', '3'],
  ...['--grpo_max_steps', '4', '--grpo_eval_prompts', '7', '--ptx_coef', '1', '--ptx_batch_size', '3'],
  ...['--ptx_targets', 'critic'],
  ...['--judge_passages', '9', '--max_cycles', '1', '--seed', '5'],
];
const cycle = (name: string) => ['cycle', project(name), ...settings];

/** Every number of a value by its path. */
const numbersIn = (value: unknown, path = ''): [string, number][] => {
  if (typeof value === 'number') return [[path, value]];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inside]) => numbersIn(inside, `${path}/${key}`));
};

/** The numbers of a project's reports except times. */
const reportOf = (name: string) =>
  new Map(
    ['00', '01'].flatMap((number) =>
      numbersIn(JSON.parse(readFileSync(join(project(name), 'cycles', number, 'report.json'), 'utf8')), number).filter(
        ([path]) => !/second/.test(path),
      ),
    ),
  );

it('two ranks begin, are stopped, and one process ends with the reports of one, to 1e-3; only rank 0 stores results', async () => {
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
  const alone = await verisim(['cycle', project('many')]);
  expect([alone.code, alone.stderr]).toEqual([0, '']);
  expect(existsSync(project('away'))).toBe(false);
  const [expected, actual] = [reportOf('one'), reportOf('many')];
  expect(expected.size).toBeGreaterThan(20);
  const far = [...expected].filter(
    ([path, value]) => !(Math.abs((actual.get(path) ?? NaN) - value) < 1e-3 * Math.max(1, Math.abs(value))),
  );
  expect(far).toEqual([]);
}, 900_000);
