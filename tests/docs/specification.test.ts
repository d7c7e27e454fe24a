/** docs/specification.md names tests that exist, and has every section that the code cites. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/specification.md'), 'utf8');
const sections = new Set([...page.matchAll(/^#{2,3} (\d(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number));

/** Lines are `- file: test · test`. */
const lines = page.split('\n').filter((line) => line.startsWith('- '));
const tests = lines.flatMap((line) => {
  const [, file = '', names = ''] = /^- `(tests\/[^`]+)`: (.+)$/.exec(line) ?? [];
  return names.split(' · ').map((name) => ({ file, name }));
});

it('has a test for every section', () => {
  for (const part of page.split(/^(?=### )/m).slice(1)) expect(part).toMatch(/^- `tests\//m);
  expect(tests.length).toBeGreaterThan(120);
});

it.each(tests)('$file: $name', ({ file, name }) => {
  const path = join(root, file);
  expect(file !== '' && existsSync(path), path).toBe(true);
  expect(readFileSync(path, 'utf8').replaceAll("\\'", "'")).toContain(name);
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
