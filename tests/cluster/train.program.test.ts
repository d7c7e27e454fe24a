/** Two processes train as one does; they listen on loopback only; when one is killed the other names it and ends. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { jsonLines, smallest, temporaryFolder, verisim, writeText } from '../cli/program.js';
import { freePort, ranks } from './ranks.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = [
  ...['train', ...smallest, '--data_path', writeText(folder), '--dropout', '0.1', '--warmup_iters', '2'],
  ...['--log_interval', '1', '--gradient_accumulation_steps', '2'],
];

/** XLA compiles as it does for users; elsewhere in tests as fast as it can (vitest.config.ts). */
const asShipped = { XLA_FLAGS: '' };

const metricsOf = (out: string) =>
  jsonLines(readFileSync(join(out, 'metrics.jsonl'), 'utf8')) as unknown as readonly {
    readonly step: number;
    readonly values: Readonly<Record<string, number>>;
  }[];

it('two ranks have the losses of one process, to 1e-5, and the same bytes; only rank 0 stores results', async () => {
  const steps = ['--max_iters', '6', '--eval_interval', '3'];
  const [one, two, away] = ['one', 'two', 'not-made'].map((name) => join(folder, name)) as [string, string, string];
  const alone = await verisim([...settings, ...steps, '--out_dir', one], { environment: asShipped });
  const both = await ranks(2, (rank) => ({
    args: [...settings, ...steps, '--out_dir', rank === 0 ? two : away],
    environment: asShipped,
  }));
  expect([alone, ...both].map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, '']));
  expect(both[0]?.stdout).toContain('All 2 ranks have the same trained weights');
  expect(existsSync(away)).toBe(false);
  const [expected, actual] = [metricsOf(one), metricsOf(two)];
  expect(actual.map(({ step }) => step)).toEqual(expected.map(({ step }) => step));
  expected.forEach(({ values }, row) => {
    for (const key of ['loss', 'val_loss', 'grad_norm'].filter((each) => each in values))
      expect(Math.abs((actual[row]?.values[key] ?? NaN) - (values[key] ?? NaN))).toBeLessThan(1e-5);
  });
}, 300_000);

/** The hosts on which a process listens. */
const listening = (pid: number): readonly string[] =>
  execFileSync('ss', ['-tlnpH'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`pid=${pid},`))
    .map((line) => (line.trim().split(/\s+/)[3] ?? '').replace(/:\d+$/, ''));

it('members listen on loopback only; when one is killed the other names it and ends with code 75', async () => {
  const hosts = new Set<string>();
  let isKilled = false;
  const members = [await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
  const outcomes = await ranks(2, (rank) => ({
    args: [
      ...settings,
      ...['--max_iters', '1000000', '--eval_interval', '100000', '--out_dir', join(folder, 'killed'), '--json'],
      ...['--cluster', members.join(), '--rank', String(rank)],
    ],
    onOutput(output, child) {
      const isTraining = rank === 1 ? output.includes('Waiting for the other ranks') : /"step":2/.test(output);
      if (!isTraining || isKilled) return;
      listening(child.pid ?? -1).forEach((host) => hosts.add(host));
      pids[rank] = child.pid ?? -1;
      if (rank !== 0 || pids[1] === undefined) return;
      isKilled = true;
      listening(pids[1]).forEach((host) => hosts.add(host));
      process.kill(pids[1], 'SIGKILL');
    },
  }));
  expect(hosts.size).toBeGreaterThan(0);
  expect([...hosts].filter((host) => !/^(\[::ffff:127\.0\.0\.1\]|127\.0\.0\.1)$/.test(host))).toEqual([]);
  const [first] = outcomes;
  expect(first?.code).toBe(75);
  expect(`${first?.stdout}${first?.stderr}`).toContain(`Rank 1 (${members[1] ?? ''}) does not answer any more`);
});

const pids: number[] = [];
