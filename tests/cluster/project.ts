/** A whole project of the smallest kind, and how far the reports of two runs of it are from each other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallest } from '../cli/program.js';

/** A reward model of every part: critic, expected rewards, the mix with text that is learned from the critic, the judge. */
export const projectSettings = (text: string): readonly string[] => [
  ...[...smallest, '--data_path', text, '--max_iters', '30', '--eval_interval', '15', '--warmup_iters', '2'],
  ...['--learning_rate', '0.02', '--reward_kind', 'critic', '--reward_shape', 'expected_log_ratio'],
  ...['--reward_train_samples', '100', '--reward_val_samples', '100', '--generation_batch_size', '16'],
  ...['--reward_max_iters', '8', '--reward_eval_interval', '4', '--group_size', '3', '--prompts_per_step', '3'],
  ...['--grpo_max_steps', '4', '--grpo_eval_prompts', '7', '--ptx_coef', '1', '--ptx_batch_size', '3'],
  ...['--ptx_targets', 'critic'],
  ...['--judge_passages', '9', '--max_cycles', '1', '--seed', '5'],
];

const reportOf = (project: string, number: string): unknown =>
  JSON.parse(readFileSync(join(project, 'cycles', number, 'report.json'), 'utf8'));

/** Every number of a report by its path. */
const numbersOf = (value: unknown, path = ''): [string, number][] => {
  if (typeof value === 'number') return [[path, value]];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inside]) => numbersOf(inside, `${path}/${key}`));
};

/** How far each number of the reports is, but for times, of those above 1 as a share of them; by its path. */
export function distances(one: string, other: string): ReadonlyMap<string, number> {
  return new Map(
    ['00', '01'].flatMap((number) => {
      const theirs = new Map(numbersOf(reportOf(other, number)));
      return numbersOf(reportOf(one, number))
        .filter(([path]) => !/second/.test(path))
        .map(([path, value]): [string, number] => {
          const far = Math.abs((theirs.get(path) ?? NaN) - value) / Math.max(1, Math.abs(value));
          return [`${number}${path}`, Number.isNaN(far) ? Infinity : far];
        });
    }),
  );
}

/** Of a report's numbers, between one process and several. */
export const REPORT_TOLERANCE = 1e-3;
