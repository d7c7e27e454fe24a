/** The whole program once, on the quickest measures: bundling, contenders' processes, turns, and the file it writes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { resultSchema } from '../../../tools/bench/rows.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-bench-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const bench = (...args: string[]) =>
  spawnSync(process.execPath, [fileURLToPath(new URL('../../../tools/bench/run.mjs', import.meta.url)), ...args], {
    encoding: 'utf8',
  });

describe('npm run bench', () => {
  it('measures a train step, and writes its row', () => {
    const file = join(folder, 'bench.json');
    const small = ['--only', 'train_step', '--shape', 'tiny', '--precision', 'f32', '--quick', '--repeats', '2'];
    const { status, stdout, stderr } = bench(...small, '--json', file);
    expect(status, stderr).toBe(0);
    const { machine, rows, failures } = resultSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(failures).toEqual([]);
    expect(machine.cores).toBeGreaterThan(0);
    expect(rows.map(({ measure, repeats }) => [measure, repeats])).toEqual([['train_step', 2]]);
    expect(stdout).toMatch(/train_step +tiny +f32 +verisim/);
  });

  it('refuses unknown names, with the options', () => {
    const { status, stderr } = bench('--shape', 'huge');
    expect(status).toBe(2);
    expect(stderr).toMatch(/there is no "huge"; known: tiny, baby[\s\S]*--json FILE/);
  });
});
