/** docs/specification.md names tests that exist, and every section that the code cites is there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/specification.md'), 'utf8');
const sections = new Set([...page.matchAll(/^#{2,3} (\d(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number));

/** Rows are `| what holds | file: test |`. */
const rows = [...page.matchAll(/^\| (?<holds>.*?) \| `(?<file>tests\/[^`]+)`: (?<test>.+) \|$/gm)].map(
  ({ groups = {} }) => ({ holds: groups['holds'] ?? '', file: groups['file'] ?? '', test: groups['test'] ?? '' }),
);

it('has a test for everything it says', () => {
  const lines = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (---|What holds)/.test(line));
  expect(rows.length).toBe(lines.length);
  expect(rows.length).toBeGreaterThan(150);
});

it.each(rows)('$holds', ({ file, test }) => {
  const path = join(root, file);
  expect(existsSync(path), path).toBe(true);
  expect(readFileSync(path, 'utf8').replaceAll("\\'", "'")).toContain(test);
});

it('has every section that the code cites', () => {
  const folders = ['main', 'shared', 'renderer', 'tests', 'tools'];
  const cited = execFileSync('git', ['grep', '-hoiE', 'specification [1-5](\\.[1-9][0-9]?)?', '--', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });
  const numbers = new Set([...cited.matchAll(/[0-9](?:\.[0-9]+)*/g)].map(([number]) => number));
  expect([...numbers].filter((number) => !sections.has(number))).toEqual([]);
});
