// Which files a path or a pattern means, in which order, and what is said when there are none.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPattern } from '../../../shared/config/input-names.js';
import { filesMatching } from '../../../main/storage/texts/glob.js';
import { findTextFiles } from '../../../main/storage/texts/text-files.js';
import { faultOf } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
const at = (name: string): string => path.join(folder, name);
const names = [
  'b.txt',
  'a.txt',
  'a1.md',
  'sub/c.txt',
  'sub/deep/d.txt',
  'sub/deep/e.jsonl',
  '.hidden.txt',
  '.git/f.txt',
  '[x].txt',
];
beforeAll(() => {
  folder = temporaryFolder();
  for (const name of names) {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), 'x');
  }
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('a pattern', () => {
  const matching = (pattern: string): string[] => filesMatching(at(pattern)).map((file) => path.relative(folder, file));

  it.each([
    ['*.txt', ['[x].txt', 'a.txt', 'b.txt']],
    ['?.txt', ['a.txt', 'b.txt']],
    ['[ac].txt', ['a.txt']],
    ['[!a].txt', ['b.txt']],
    ['a*', ['a.txt', 'a1.md']],
    ['{b,a}.txt', ['a.txt', 'b.txt']],
    ['{sub/{c,x},a}.t?t', ['a.txt', 'sub/c.txt']],
    ['**/*.txt', ['[x].txt', 'a.txt', 'b.txt', 'sub/c.txt', 'sub/deep/d.txt']],
    ['sub/**', ['sub/c.txt', 'sub/deep/d.txt', 'sub/deep/e.jsonl']],
    ['s*/*/*.{jsonl,md}', ['sub/deep/e.jsonl']],
    ['.h*', ['.hidden.txt']],
    ['a.txt', ['a.txt']],
    ['sub', []],
    ['*.pdf', []],
    ['[z-a].txt', []],
    ['a{.txt', []],
  ])('%s', (pattern, found) => {
    expect(matching(pattern)).toEqual(found);
  });

  it('finds what Python’s glob finds', () => {
    const part = fc.constantFrom('*', '**', '?', 'a', 'b', 'sub', '.txt', '[a-c]', '[!b]', '.', '/', 'deep/');
    const patterns = fc
      .sample(fc.array(part, { minLength: 1, maxLength: 5 }), { numRuns: 300, seed: 7 })
      .map((parts) =>
        parts
          .join('')
          .replace(/\/+/g, '/')
          .replace(/^\/|\/$/g, ''),
      )
      // Within a name, ** is just * in a shell; Python agrees only when it stands alone.
      .filter(
        (pattern) => pattern !== '' && !/\*\*[^/]|[^/]\*\*|\.\./.test(pattern) && !pattern.split('/').includes('.'),
      );
    const program =
      'import glob, json, os, sys; os.chdir(sys.argv[1]); ' +
      'print(json.dumps([sorted({f for f in glob.glob(p, recursive=True) if os.path.isfile(f)}) for p in json.loads(sys.argv[2])]))';
    const { stdout } = spawnSync('python3', ['-c', program, folder, JSON.stringify(patterns)], { encoding: 'utf8' });
    expect(patterns.map(matching)).toEqual(JSON.parse(stdout));
  });

  it('is told from a path', () => {
    expect(['a/*.txt', 'a?', '{a,b}', '[a]'].map(isPattern)).toEqual([true, true, true, true]);
    expect(['a.txt', 'data/shakespeare_char', 'C:\\texts'].map(isPattern)).toEqual([false, false, false]);
  });
});

describe('finding the files', () => {
  it('takes a file, or what is called input in a folder, the text first', () => {
    fs.mkdirSync(at('data'));
    fs.writeFileSync(at('data/input.jsonl.gz'), 'x');
    expect(findTextFiles(at('data'))).toEqual({ files: [at('data/input.jsonl.gz')], folder: at('data') });
    fs.writeFileSync(at('data/input.txt'), 'x');
    expect(findTextFiles(at('data')).files).toEqual([at('data/input.txt')]);
    expect(findTextFiles(at('data/input.txt'))).toEqual({ files: [at('data/input.txt')], folder: at('data') });
  });

  it('takes all files that a pattern names, sorted, and a file whose own name looks like a pattern', () => {
    expect(findTextFiles(at('sub/**/*.txt'))).toEqual({
      files: [at('sub/c.txt'), at('sub/deep/d.txt')],
      folder: at('sub'),
    });
    expect(findTextFiles(at('[x].txt')).files).toEqual([at('[x].txt')]);
  });

  it('says what is missing', () => {
    fs.mkdirSync(at('empty'));
    fs.mkdirSync(at('other'));
    fs.writeFileSync(at('other/moby.txt'), 'x');
    expect(faultOf(() => findTextFiles(at('nothing.txt')))).toMatchObject({
      code: 'file_not_found',
      message: `Data file not found: ${at('nothing.txt')}`,
      field: 'data_path',
    });
    expect(faultOf(() => findTextFiles(at('*.none')))).toMatchObject({
      code: 'file_not_found',
      message: `No file matches data_path: ${at('*.none')}`,
    });
    expect(faultOf(() => findTextFiles(at('empty'))).message).toBe(`The folder ${at('empty')} holds no input.txt`);
    expect(faultOf(() => findTextFiles(at('other'))).hint).toContain(at('other/moby.txt'));
    expect(faultOf(() => findTextFiles(at('other/moby.txt/input.txt'))).code).toBe('file_not_found');
  });

  it('refuses a pipe, which could be read only once', () => {
    expect(spawnSync('mkfifo', [at('pipe')]).status).toBe(0);
    expect(faultOf(() => findTextFiles(at('pipe')))).toMatchObject({ code: 'file_not_readable' });
  });
});
