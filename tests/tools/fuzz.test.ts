// Every reader against hostile files, and every fifteenth of the cuts, changed bytes of structure and random damage: a typed
// error or exactly what the file says, within its bounds of processor time and memory. `npm run fuzz -- --cases N` does all.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../tools/support/program.mjs';
import { fuzzer } from '../../tools/fuzz/bundle.mjs';
import { casesOf, some } from '../../tools/fuzz/cases.js';
import { runCases } from '../../tools/fuzz/session.js';
import { loadSubject, subjectNames } from '../../tools/fuzz/subjects/index.js';

const SEED = 6;
const RANDOM_CASES = 150;
/** Odd, so that of changed bytes both ways come. */
const EVERY = 15;
let folder: string;
let child: string;
beforeAll(async () => {
  folder = await bundle(`${fuzzer.outdir}-${process.pid}`, fuzzer.entryPoints);
  child = join(folder, 'child.js');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('every reader, whatever the file', () => {
  it.each(subjectNames)('%s', { timeout: 600_000 }, async (name) => {
    const { subject, place } = await loadSubject(name);
    const all = casesOf(subject, place, SEED);
    const range = { from: 0, to: all.fixed + RANDOM_CASES, every: EVERY };
    const { cases, loaded, findings } = await runCases(child, { subject: name, seed: SEED, ...range });
    const wrong = findings.map(
      ({ index, what, why }) => `${what}: ${why} (npm run fuzz -- --seed ${SEED} --only ${name} --case ${index})`,
    );
    expect(wrong).toEqual([]);
    expect(cases).toBe([...some(all, 0, range.to, EVERY)].length);
    // The good files, at the least: a reader that refuses everything would pass the rest.
    expect(loaded).toBeGreaterThanOrEqual(subject.samples.length);
  });
});

describe('the fuzzer notices a reader that', () => {
  it.each([
    ['throws what is no error of ours', /RangeError: out of range/],
    ['gives no hint', /not one of ours/],
    ['says far too much', /message has \d+ characters/],
    ['reads what it must refuse', /it must refuse/],
    ['changes a prototype', /changed an object’s prototype/],
    ['takes its time', /ms of processor time/],
    ['takes memory', /MB of memory/],
    ['ends the process', /its process ends \(3\)/],
    ['runs out of memory', /its process ends \(SIG\w+\)|its process ends \(134\)/],
    ['hangs', /it hangs/],
  ])('%s', { timeout: 300_000 }, async (deed, why) => {
    const { subject, place } = await loadSubject('broken');
    const { fixed, at } = casesOf(subject, place, SEED);
    const index = Array.from({ length: fixed }, (_, i) => i).find((i) => at(i).name === deed) ?? -1;
    // Only the one that hangs waits for so long.
    const silence = deed === 'hangs' ? 4000 : undefined;
    const { findings } = await runCases(child, {
      subject: 'broken',
      seed: SEED,
      from: index,
      to: index + 1,
      ...(silence && { silence }),
    });
    expect(findings.map((finding) => finding.why)).toEqual([expect.stringMatching(why) as unknown]);
  });

  it('reads something else than the file says', async () => {
    const { subject, place } = await loadSubject('broken');
    const { fixed } = casesOf(subject, place, SEED);
    // Its last fixed cases change a byte of "good" each, two ways. It looks at the first letter only: with another letter
    // changed it reads exactly what the good file says, which is right.
    const { findings } = await runCases(child, { subject: 'broken', seed: SEED, from: fixed - 8, to: fixed });
    expect(findings).toHaveLength(2);
    expect(findings[0]?.why).toMatch(/a second reader finds nothing/);
  });
});

describe('a case', () => {
  it('is the same whenever it is made', async () => {
    for (const name of subjectNames) {
      const { subject, place } = await loadSubject(name);
      const { fixed, at } = casesOf(subject, place, 3);
      for (const index of [fixed, fixed + 1, fixed + 77])
        expect(at(index).bytes.equals(casesOf(subject, place, 3).at(index).bytes)).toBe(true);
      expect(at(fixed).bytes.equals(casesOf(subject, place, 4).at(fixed).bytes)).toBe(false);
    }
  });
});

describe('npm run fuzz', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [fileURLToPath(new URL('../../tools/fuzz/run.mjs', import.meta.url)), ...args], {
      encoding: 'utf8',
    });

  it('runs one reader, one case of it, and says what it knows when it is asked for something else', () => {
    const one = run('--only', 'reward-tokens', '--seed', '5', '--case', '1');
    expect(one.status, one.stderr).toBe(0);
    expect(one.stdout).toMatch(/^seed 5\n/);
    expect(one.stdout).toMatch(/reward-tokens case 1: ids beyond the vocabulary\nToken range incompatible/);
    expect(one.stdout).toMatch(/reward-tokens: 1 cases, 0 read/);
    const unknown = run('--only', 'everything');
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toMatch(/there is no "everything"; known: token-files, /);
  });
});
