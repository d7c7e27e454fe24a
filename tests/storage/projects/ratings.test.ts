// Passages to rate and what was said of them: kept whole, made again when they cannot be read, and blind.
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  addRating,
  passageId,
  type Rating,
  readPassages,
  readRatings,
  removeRating,
  writePassages,
} from '../../../main/storage/projects/ratings.js';
import { faultOf } from '../fault-of.js';
import { faultyFiles } from '../faults.js';

const home = mkdtempSync(join(tmpdir(), 'verisim-ratings-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const passages = [
  { prompt: 'Call me ', text: 'Ishmael.\n' },
  { prompt: '', text: '⟦😀⟧' },
];
const rating = (passage: string): Rating => ({
  ...{ passage, source: 'natural', verdict: 'generated', at: '2026-11-21T00:00:00.000Z' },
});

describe('passages', () => {
  it('come back as they were written, each source’s its own', () => {
    const folder = join(home, 'written');
    expect(readPassages(folder, 'natural')).toBeNull();
    writePassages(folder, 'natural', passages);
    writePassages(folder, 'base_model_v1', []);
    expect(readPassages(folder, 'natural')).toEqual(passages);
    expect(readPassages(folder, 'base_model_v1')).toEqual([]);
  });

  it.each([
    ['is cut short', '{"format_version":1,"passages":['],
    ['is something else', '{"format_version":1,"passages":[{"prompt":1}]}'],
    ['is of another version', '{"format_version":2,"passages":[]}'],
    ['nests too deep', `${'['.repeat(1000)}${']'.repeat(1000)}`],
  ])('are made again where the file %s', (_, text) => {
    const folder = join(home, 'damaged');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'natural.json'), text);
    expect(readPassages(folder, 'natural')).toBeNull();
  });

  it('that cannot be read for another reason are not made again over it', () => {
    const folder = join(home, 'unreadable');
    mkdirSync(join(folder, 'natural.json'), { recursive: true });
    expect(faultOf(() => readPassages(folder, 'natural')).code).toMatch(/file_/);
    expect(faultOf(() => readPassages(folder, '../natural')).code).toBe('bad_input');
  });

  it('are told apart by what does not say whose they are', () => {
    const [first = { prompt: '', text: '' }] = passages;
    const ids = ['natural', 'base_model_v1'].map((source) => passageId(source, first));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(passageId('natural', { ...first })).toBe(ids[0]);
  });
});

describe('ratings', () => {
  it('are added one by one, in order; what a crash left of a line is cut off', () => {
    const folder = join(home, 'ratings');
    expect(readRatings(folder)).toEqual([]);
    addRating(folder, rating('a'));
    appendFileSync(join(folder, 'ratings.jsonl'), '{"passage":"b"');
    addRating(folder, rating('c'));
    expect(readRatings(folder)).toEqual([rating('a'), rating('c')]);
    expect(readFileSync(join(folder, 'ratings.jsonl'), 'utf8').split('\n')).toHaveLength(3);
  });

  it('that cannot be written are told, and the earlier ones stay', () => {
    const folder = join(home, 'full');
    const counted = faultyFiles();
    addRating(folder, rating('a'), counted);
    let told = 0;
    for (const [at] of counted.asked.entries()) {
      const before = readRatings(folder);
      const files = faultyFiles(at, 'ENOSPC');
      try {
        addRating(folder, rating(`at ${at}`), files);
      } catch (error) {
        expect(error).toMatchObject({ name: 'UserError' });
        told++;
      }
      files.closeAll();
      expect(readRatings(folder).slice(0, before.length)).toEqual(before);
    }
    expect(told).toBeGreaterThan(0);
  });

  it('are taken back one at a time, the last one of a passage; the others stay, also when that fails', () => {
    const folder = join(home, 'taken-back');
    for (const name of ['a', 'b', 'a']) addRating(folder, rating(name));
    removeRating(folder, 'nothing');
    removeRating(folder, 'a');
    expect(readRatings(folder)).toEqual([rating('a'), rating('b')]);
    const counted = faultyFiles();
    removeRating(folder, 'b', counted);
    counted.closeAll();
    for (const [at] of counted.asked.entries()) {
      const files = faultyFiles(at, 'ENOSPC');
      expect([[], [rating('a')]]).toContainEqual(leftAfter(() => removeRating(folder, 'a', files)));
      files.closeAll();
      if (readRatings(folder).length === 0) addRating(folder, rating('a'));
    }

    function leftAfter(remove: () => void): Rating[] {
      try {
        remove();
      } catch (error) {
        expect(error).toMatchObject({ name: 'UserError' });
      }
      return readRatings(folder);
    }
  });
});
