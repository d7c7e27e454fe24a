/**
 * A whole project by two processes together: what one alone finds, and on from where the two were stopped, alone. Every process
 * costs seconds to begin; three and four ranks: `npm run cluster -- --cycle`.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { RunTold } from '../../shared/contract/elsewhere.js';
import { askRun, readRun } from '../../main/storage/projects/run-desk.js';
import { jsonLines, temporaryFolder, verisim, writeText } from '../cli/program.js';
import { distances, projectSettings, REPORT_TOLERANCE } from './project.js';
import { ranks } from './ranks.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = projectSettings(writeText(folder));
const cycle = (project: string) => ['cycle', join(folder, project), ...settings];

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
  const all = distances(join(folder, 'one'), join(folder, 'many'));
  expect(all.size).toBeGreaterThan(20);
  expect([...all].filter(([, far]) => !(far < REPORT_TOLERANCE))).toEqual([]);
}, 900_000);

interface Row {
  readonly phase: string;
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}

it('two ranks that nobody here started pause, change, end a phase and stop at the same step, as asked through the folder', async () => {
  const project = join(folder, 'steered');
  const endless = ['--max_iters', '100000', '--eval_interval', '50000', '--log_interval', '1', '--judge_passages', '0'];
  const children = new Set<ChildProcess>();
  onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
  const run = ranks(2, (rank) => ({
    args: [...cycle(rank === 0 ? 'steered' : 'away'), ...endless],
    onOutput: (_, child) => void children.add(child),
  }));
  const rows = () => {
    const written = readFileSync(join(project, 'cycles/00/metrics.jsonl'), 'utf8');
    // The last one may just be on its way there.
    const whole = jsonLines(written.slice(0, written.lastIndexOf('\n') + 1)) as unknown as readonly Row[];
    return whole.filter(({ values: { loss } }) => loss !== undefined);
  };
  const is = (activity: RunTold['activity']) =>
    expect.poll(() => readRun(project)?.activity, { timeout: 120_000 }).toBe(activity);
  const goOn = async () => {
    const { length } = rows();
    await expect.poll(() => rows().length, { timeout: 120_000 }).toBeGreaterThan(length + 5);
  };
  await expect.poll(() => readRun(project)?.progress?.done ?? 0, { timeout: 240_000 }).toBeGreaterThan(0);
  await askRun(project, { action: 'pause' });
  await is('paused');
  await askRun(project, { action: 'change', settings: { learning_rate: 0.0125 } });
  await askRun(project, { action: 'extend', iterations: 0, cycles: 2 });
  await askRun(project, { action: 'resume' });
  await is('running');
  await goOn();
  const figures = () => readRun(project)?.ranks.filter(({ tokens_per_second }) => (tokens_per_second ?? 0) > 0) ?? [];
  await expect.poll(() => figures().map(({ rank }) => rank), { timeout: 120_000 }).toEqual([0, 1]);
  for (const { waiting } of figures()) expect(waiting).toBeGreaterThanOrEqual(0);
  await askRun(project, { action: 'skip' });
  // Each rank has made the same of it, to the bit.
  const log = () => readFileSync(join(project, 'events.jsonl'), 'utf8');
  await expect.poll(log, { timeout: 240_000 }).toContain('All 2 ranks have the same weights of base_model_v1');
  await askRun(project, { action: 'stop', after: 'step' });
  const ended = await run;
  expect(ended.map(({ code }) => code)).toEqual([130, 130]);

  const changes = jsonLines(readFileSync(join(project, 'changes.jsonl'), 'utf8'));
  const made = changes.filter((change) => 'made' in change);
  expect(made.map(({ cycle: of, phase }) => [of, phase])).toEqual([
    [0, 'base_training'],
    [0, 'base_training'],
  ]);
  const [first, last] = made.map(({ step }) => Number(step));
  const warm = rows().filter(({ step }) => step > 2);
  const rates = warm.map(({ step, values }) => [step > (first ?? NaN), (values['learning_rate'] ?? NaN) <= 0.0125]);
  expect(rates.filter(([isAfter, isLower]) => isAfter !== isLower)).toEqual([]);
  expect(rows().at(-1)?.step).toBe(last);
  expect(JSON.parse(readFileSync(join(project, 'project.json'), 'utf8'))).toMatchObject({ config: { max_cycles: 3 } });
  for (const word of [
    'Paused.',
    'Resumed.',
    `From step ${first} of base training on: learning_rate is 0.0125.`,
    'Stopped, as asked.',
  ])
    expect(log()).toContain(word);
}, 900_000);
