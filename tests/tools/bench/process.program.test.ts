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
  it('measures loading of text and of token files, and writes every row', () => {
    const file = join(folder, 'bench.json');
    const { status, stdout, stderr } = bench(
      '--only',
      'load_text,load_binary',
      '--quick',
      '--repeats',
      '2',
      '--json',
      file,
    );
    expect(status, stderr).toBe(0);
    const { machine, rows, failures } = resultSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(failures).toEqual([]);
    expect(machine.cores).toBeGreaterThan(0);
    expect(rows.map(({ measure, repeats }) => [measure, repeats])).toEqual([
      ['load_text', 2],
      ['load_binary', 2],
    ]);
    expect(stdout).toMatch(/load_text +tiny +f32 +verisim/);
  });

  it('refuses unknown names, with the options', () => {
    const { status, stderr } = bench('--shape', 'huge');
    expect(status).toBe(2);
    expect(stderr).toMatch(/there is no "huge"; known: tiny, baby[\s\S]*--json FILE/);
  });
});
