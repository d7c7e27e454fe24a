/** docs/seeds.md names tests that exist, and says why where there is none. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/seeds.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| 00\d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, seed = '', promise = '', file = '', test = '']) => ({ seed, promise, file, test }));
/** The test column then gives the reason. */
const isExcused = ({ file }: (typeof rows)[number]): boolean => ['_superseded_', '_Python_'].includes(file);
const untested = rows.filter((row) => !isExcused(row) && !row.file.startsWith('`tests/'));

it('lists promises of every seed', () => {
  const of = (seed: string): number => rows.filter((row) => row.seed.startsWith(seed)).length;
  expect([of('000') > 80, of('001') > 40, of('002') > 20, of('003') > 20, of('004') > 15]).not.toContain(false);
});

it.each(rows.filter((row) => !isExcused(row)))('$seed: $promise', ({ file, test }) => {
  const path = join(root, file.replaceAll('`', ''));
  expect(existsSync(path), path).toBe(true);
  expect(test).not.toBe('');
  expect(readFileSync(path, 'utf8').replaceAll("\\'", "'")).toContain(test);
});

it('gives a reason where a promise is superseded or Python’s own', () => {
  for (const { test } of rows.filter(isExcused)) expect(test.length).toBeGreaterThan(15);
});

it('says how many promises have no test', () => {
  expect(page).toContain(`Rows without a test: ${untested.length}.`);
});
