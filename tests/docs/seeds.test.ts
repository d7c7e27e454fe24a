/** docs/seeds.md names tests that exist, and is honest about promises that have none. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/seeds.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| 00\d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, seed, promise, file, test]) => ({ seed, promise, file: file ?? '', test: test ?? '' }));
const tested = rows.filter(({ file }) => file !== 'none yet');

it('lists promises of every seed', () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const seed of ['000', '001', '003', '004']) expect(rows.some((row) => row.seed?.startsWith(seed))).toBe(true);
});

it.each(tested)('$seed: $promise', ({ file, test }) => {
  const path = join(root, file.replaceAll('`', ''));
  expect(existsSync(path), path).toBe(true);
  expect(test).not.toBe('');
  expect(readFileSync(path, 'utf8').replaceAll("\\'", "'")).toContain(test);
});

it('says how many promises have no test', () => {
  expect(page).toContain(`Rows without a test: ${rows.length - tested.length}.`);
});
