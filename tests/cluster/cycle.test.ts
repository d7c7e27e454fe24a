/**
 * A whole project by two processes together: what one alone finds, and on from where the two were stopped, alone. Every process
 * costs seconds to begin; three and four ranks: `npm run cluster -- --cycle`.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, temporaryFolder, verisim, writeText } from '../cli/program.js';
import { distances, projectSettings, REPORT_TOLERANCE } from './project.js';
import { ranks } from './ranks.js';

beforeAll(build);

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
