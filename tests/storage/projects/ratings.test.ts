// Passages to judge: kept whole, made again when they cannot be read, and blind.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { passageId, ratingKey, readPassages } from '../../../main/storage/projects/ratings.js';
import { faultOf } from '../fault-of.js';

const home = mkdtempSync(join(tmpdir(), 'verisim-ratings-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const passages = [
  { prompt: 'Call me ', text: 'Ishmael.\n' },
  { prompt: '', text: '⟦😀⟧' },
];

describe('passages', () => {
  it.each([
    ['is cut short', '{"format_version":1,"passages":['],
    ['is something else', '{"format_version":1,"passages":[{"prompt":1}]}'],
    ['is of another version', '{"format_version":2,"passages":[]}'],
    ['nests too deep', `${'['.repeat(1000)}${']'.repeat(1000)}`],
  ])('are made again where the file %s', (_, text) => {
    const folder = join(home, 'damaged');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'natural.json'), text);
    expect(readPassages(folder, 'natural')).toEqual([]);
  });

  it('that cannot be read for another reason are not made again over it', () => {
    const folder = join(home, 'unreadable');
    mkdirSync(join(folder, 'natural.json'), { recursive: true });
    expect(faultOf(() => readPassages(folder, 'natural')).code).toMatch(/file_/);
    expect(faultOf(() => readPassages(folder, '../natural')).code).toBe('bad_input');
  });

  it('have ids that do not reveal their source', () => {
    const [first = { prompt: '', text: '' }] = passages;
    const ids = ['natural', 'base_model_v1'].map((source) => passageId(source, first));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(passageId('natural', { ...first })).toBe(ids[0]);
  });

  it('are mixed with a secret that is made once for a project, and again if it cannot be read', () => {
    const folders = [join(home, 'one'), join(home, 'two')];
    const [first = '', second] = folders.map((folder) => ratingKey(folder));
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(second).not.toBe(first);
    expect(ratingKey(join(home, 'one'))).toBe(first);
    writeFileSync(join(home, 'one', 'key.json'), '{');
    expect(ratingKey(join(home, 'one'))).not.toBe(first);
  });
});
