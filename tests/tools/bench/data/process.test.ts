/** `npm run bench:data` once, on little text and without tiktoken, which would have to be installed. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const bench = (...args: string[]) =>
  spawnSync(
    process.execPath,
    [fileURLToPath(new URL('../../../../tools/bench/data/run.mjs', import.meta.url)), ...args],
    { encoding: 'utf8' },
  );

it('measures loading and memory', () => {
  const { stdout, stderr } = bench('--only', 'load,memory', '--size', '0.002');
  expect(stdout, stderr).toMatch(/binary against text mode, a text of 1.1 MB: [\d.]+ × \(/);
  expect(stdout).toMatch(/ok {4}memory to prepare 0.0\d GB, char: \d+ MB/);
  expect(stdout).toMatch(/ok {4}memory to prepare 0.0\d GB, bpe: \d+ MB/);
});

it('says what it does not know', () => {
  const { status, stderr } = bench('--only', 'speed');
  expect(status).toBe(2);
  expect(stderr).toMatch(/there is no "speed"; known: char, bpe[\s\S]*--python FILE/);
});
