/** Compile times are predicted from the time per operation on this machine. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createCompileTime } from '../../../main/jobs/machine/figures.js';
import { temporaryFolder } from '../context.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

/** One process: begins and ends with functions of so many operations that take so many seconds; returns what it said. */
function compiles(file: string, ...functions: readonly (readonly [operations: number, seconds: number])[]): number[] {
  let milliseconds = 5000;
  const time = createCompileTime('a machine', { now: () => milliseconds, file });
  return functions.map(([operations, seconds]) => {
    const said = time.begins(operations);
    milliseconds += 1000 * seconds;
    time.took(operations);
    return said;
  });
}

it('is what it took on this machine before, in this process or another', () => {
  const file = join(folder, 'compile-time.json');
  const [first = NaN, second] = compiles(file, [1000, 8], [2000, 16]);
  expect(first).toBeGreaterThan(0);
  expect(second).toBe(16);
  expect(compiles(file, [500, 4])).toEqual([4]);
  expect(createCompileTime('another machine', { file }).begins(1000)).toBe(first);
});

it('changes with what it takes, by half of the difference', () => {
  const file = join(folder, 'half.json');
  expect(compiles(file, [1000, 8], [1000, 4], [1000, 6]).slice(1)).toEqual([8, 6]);
  expect(Object.values(JSON.parse(readFileSync(file, 'utf8')) as object)).toEqual([0.006]);
});

it('believes one that took very much longer only by half: the machine may have slept', () => {
  const file = join(folder, 'slept.json');
  expect(compiles(file, [1000, 8], [1000, 3600], [1000, 8]).slice(1)).toEqual([8, 12]);
});

it('is not learned from functions so small that their first run takes as long', () => {
  const file = join(folder, 'small.json');
  const [before, after] = compiles(file, [10, 60], [10, 1]);
  expect(after).toBe(before);
});
