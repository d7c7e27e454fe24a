// Which files a path or a pattern means, in which order, and the fault when there are none.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesMatching, spelledOut } from '../../../main/storage/texts/list/glob.js';
import { findTextFiles, findTexts, textsInFolder } from '../../../main/storage/texts/list/list-texts.js';
import type { PartChoice } from '../../../main/storage/texts/list/parts.js';
import { readSample } from '../../../main/storage/texts/text-sample.js';
import { prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { inEnglish } from '../../support/messages.js';
import { faultOf, faultOfAsync } from '../fault-of.js';
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
    ['{a.txt,sub/c.txt,sub,nothing}', ['a.txt', 'sub/c.txt']],
    ['{[[]x].txt,[a].txt}', ['[x].txt', 'a.txt']],
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
      // Within a name, ** is just * in a shell; Python agrees only when it is alone.
      .filter(
        (pattern) => pattern !== '' && !/\*\*[^/]|[^/]\*\*|\.\./.test(pattern) && !pattern.split('/').includes('.'),
      );
    const program =
      'import glob, json, os, sys; os.chdir(sys.argv[1]); ' +
      'print(json.dumps([sorted({f for f in glob.glob(p, recursive=True) if os.path.isfile(f)}) for p in json.loads(sys.argv[2])]))';
    const { stdout } = spawnSync('python3', ['-c', program, folder, JSON.stringify(patterns)], { encoding: 'utf8' });
    expect(patterns.map(matching)).toEqual(JSON.parse(stdout));
  });

  it('takes links to files, and goes into links to folders only where they are named', () => {
    const linked = temporaryFolder();
    fs.mkdirSync(path.join(linked, 'in/deep'), { recursive: true });
    fs.writeFileSync(path.join(linked, 'in/deep/a.txt'), 'x');
    fs.writeFileSync(path.join(linked, 'b.txt'), 'x');
    // Round and round, and out into the whole disk.
    fs.symlinkSync('..', path.join(linked, 'in/up'));
    fs.symlinkSync('/', path.join(linked, 'disk'));
    fs.symlinkSync('in', path.join(linked, 'other'));
    fs.symlinkSync('b.txt', path.join(linked, 'c.txt'));
    const found = (pattern: string) =>
      filesMatching(path.join(linked, pattern)).map((file) => path.relative(linked, file));
    expect(found('{b.txt,in/deep/a.txt}')).toEqual(['b.txt', 'in/deep/a.txt']);
    expect(found('**/*.txt')).toEqual(['b.txt', 'c.txt', 'in/deep/a.txt']);
    expect(found('other/**/*.txt')).toEqual(['other/deep/a.txt']);
    fs.rmSync(linked, { recursive: true });
  });

  it('has its braces spelled out', () => {
    expect(spelledOut('a{b,c{d,e}}f{,g}')).toEqual(['abf', 'abfg', 'acdf', 'acdfg', 'acef', 'acefg']);
    expect(['{a}', 'a}{b', '{,', '{a{b,c}'].map(spelledOut)).toEqual([['{a}'], ['a}{b'], ['{,'], ['{ab', '{ac']]);
    const many = '{a,b}'.repeat(20);
    expect(spelledOut(many)).toEqual([many]);
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
    expect(findTextFiles(at('sub/**/*.txt'))).toMatchObject({
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
    expect(faultOf(() => findTextFiles(at('empty'))).message).toBe(`The folder ${at('empty')} holds no text`);
    fs.renameSync(at('other/moby.txt'), at('other/moby.png'));
    expect(faultOf(() => findTextFiles(at('other'))).hint).toContain('moby.png (not a kind of text that is read)');
    fs.renameSync(at('other/moby.png'), at('other/moby.txt'));
    expect(faultOf(() => findTextFiles(at('other/moby.txt/input.txt'))).code).toBe('file_not_found');
  });
});

describe('a folder read whole', () => {
  const write = (name: string, text = 'x'): string => {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), text);
    return at(name);
  };

  it('takes every text in it and below in a fixed order, and says what it left out and why', async () => {
    const taken = ['whole/B.md', 'whole/a.txt', 'whole/sub/deep/c.jsonl'].map((name) => write(name, '{"text": "y"}'));
    for (const name of ['.hidden.txt', '.git/x.txt', 'picture.png', 'sub/none']) write(`whole/${name}`);
    write('whole/empty.txt', '');
    write('whole/large.txt', 'x'.repeat(100));
    const outside = write('outside/secret.txt', 'secret');
    fs.symlinkSync(path.dirname(outside), at('whole/out'));
    fs.symlinkSync(outside, at('whole/out.txt'));
    fs.symlinkSync('.', at('whole/sub/circle'));
    fs.symlinkSync('nowhere', at('whole/gone.txt'));
    const found = textsInFolder(at('whole'), 100, 99);
    expect(found.files).toEqual(taken);
    expect(found.skipped.map(({ message }) => inEnglish(message))).toEqual([
      '.git/ (hidden)',
      '.hidden.txt (hidden)',
      'empty.txt (empty)',
      'gone.txt (a link)',
      'large.txt (larger than 99 bytes)',
      'out (a link)',
      'out.txt (a link)',
      'picture.png (not a kind of text that is read)',
      'sub/circle (a link)',
      'sub/none (not a kind of text that is read)',
    ]);
    const { input, sample } = await readSample(at('whole'));
    expect(sample).not.toContain('secret');
    expect(inEnglish(input)).toContain(
      'Read from whole, 4 files: B.md; a.txt; large.txt; sub/deep/c.jsonl. Not read: .git/ (hidden); ',
    );
  });

  it('goes on without a file that is damaged, which it lists, and is refused when there is no other', async () => {
    write('partly/a.txt', 'one of two');
    write('partly/b.jsonl', '{"text": "gone"}\n{"text": "brok');
    write('partly/c.epub', 'PK');
    write('partly/d.html', '<p>and two</p>');
    const note =
      /Read from partly, 2 files: a\.txt; d\.html\. Not read: b\.jsonl: line 2 is not JSON.*; c\.epub is not a readable EPUB/;
    const { input, sample } = await readSample(at('partly'));
    expect(sample).toBe('one of two\nand two');
    expect(inEnglish(input)).toMatch(note);
    const dataset = {
      dataPath: at('partly'),
      tokenization: 'char',
      trainSplit: 0.5,
      outDir: at('partly-data'),
    } as const;
    const { notes, tokenizer, trainPath } = await prepareText(dataset);
    expect(notes.map((one) => inEnglish(one)).join()).toMatch(note);
    expect(fs.statSync(trainPath).size).toBe(2 * 9);
    expect(tokenizer.vocabSize).toBe(new Set(sample).size);
    for (const name of ['a.txt', 'd.html']) fs.rmSync(at(`partly/${name}`));
    expect((await faultOfAsync(readSample(at('partly')))).message).toContain('b.jsonl');
    expect((await faultOfAsync(prepareText(dataset))).message).toContain('b.jsonl');
  });

  it('is refused when it holds far too much, as when a whole disk was chosen', () => {
    for (const name of ['a', 'b', 'c']) write(`many/${name}.txt`);
    expect(textsInFolder(at('many'), 3).files).toHaveLength(3);
    expect(faultOf(() => textsInFolder(at('many'), 2)).message).toContain('more than 2 files and folders');
  });
});

describe('a data set’s parts', () => {
  const folderOf = (names: readonly string[]): string => {
    const set = fs.mkdtempSync(at('set-'));
    for (const name of names) {
      fs.mkdirSync(path.dirname(path.join(set, name)), { recursive: true });
      fs.writeFileSync(path.join(set, name), `This is the text of ${name}.\n`);
    }
    return set;
  };
  const found = (names: readonly string[], choice: PartChoice) => {
    const set = folderOf(names);
    const { files, heldOut = [], whole } = findTexts(set, choice);
    const inside = (all: readonly string[]) => all.map((file) => path.relative(set, file));
    return {
      trained: inside(files.filter((file) => !heldOut.includes(file))),
      held: inside(heldOut),
      left: whole?.skipped.map(({ message }) => inEnglish(message).split(' ')[0]),
    };
  };
  const whole = ['README.md', 'test.txt', 'train.txt', 'valid.txt'];
  const shards = ['data/test-00000.md', 'data/train-00000.md', 'data/train-00001.md'];
  const journey = ['README.md', 'my train journey.txt', 'test.txt'];

  it.each([
    [whole, ['train.txt'], ['valid.txt'], ['README.md', 'test.txt'], ['README.md', 'train.txt', 'valid.txt']],
    [shards, shards.slice(1), [], shards.slice(0, 1), shards.slice(1)],
    [['dev/a.txt', 'test/a.txt', 'b.txt'], ['b.txt'], ['dev/a.txt'], ['test/a.txt'], ['b.txt', 'dev/a.txt']],
    [['eval/a.txt', 'train/a.txt', 'train/b.txt'], ['train/a.txt', 'train/b.txt'], ['eval/a.txt'], [], null],
    [journey, journey, [], [], null],
    [['train.txt', 'trainer.txt'], ['train.txt', 'trainer.txt'], [], [], null],
    [['test.txt', 'valid.txt'], ['valid.txt'], [], ['test.txt'], ['valid.txt']],
  ])('of %j are trained on and held out by their names, a test part never', (names, trained, held, left, read) => {
    expect(found(names, { keep: 'duplicates' })).toEqual({ trained, held, left });
    const asOne = found(names, { keep: 'duplicates,parts' });
    expect(asOne).toMatchObject({ trained: read ?? [...names].sort(), held: [] });
    expect(asOne.left).toEqual(left.filter((name) => name.includes('test')));
  });

  it.each([
    ['end', ['train.txt'], [], ['README.md', 'test.txt', 'valid.txt']],
    ['each', ['train.txt'], [], ['README.md', 'test.txt', 'valid.txt']],
    ['test', ['train.txt'], ['test.txt'], ['README.md', 'valid.txt']],
    ['valid', ['train.txt'], ['valid.txt'], ['README.md', 'test.txt']],
    ['README.md', ['train.txt'], ['README.md'], ['test.txt', 'valid.txt']],
  ])('with %s held out', (held_out, trained, held, left) => {
    expect(found(whole, { keep: 'nothing', held_out })).toEqual({ trained, held, left });
    const some = found(['a/1.txt', 'a/2.txt', 'b.txt'], { held_out: 'a' });
    expect(some).toMatchObject({ trained: ['b.txt'], held: ['a/1.txt', 'a/2.txt'] });
  });

  it.each(['none.txt', 'text', 'a'])('refuse to hold out %s, which names none or all of them', (held_out) => {
    expect(faultOf(() => found(['a/1.txt', 'a/2.txt'], { held_out }))).toMatchObject({ field: 'held_out' });
  });

  it('are learned from as they are said to be', async () => {
    const set = folderOf(whole);
    const dataset = { dataPath: set, tokenization: 'char', trainSplit: 0.5, outDir: at('set-out') } as const;
    const { trainTokens, valTokens, notes } = await prepareText({ ...dataset, keep: 'nothing' });
    expect([trainTokens, valTokens]).toEqual(
      ['train', 'valid'].map((one) => `This is the text of ${one}.txt.\n`.length),
    );
    expect(notes.map((one) => inEnglish(one)).join(' ')).toMatch(/test\.txt \(a test part.*held out.*valid\.txt/i);
    const { sample, leftOut, heldOut, cleaned } = await readSample(set, { keep: 'nothing' });
    expect(sample).not.toMatch(/test|README/);
    expect(leftOut).toHaveLength(2);
    expect(inEnglish(heldOut.message)).toContain('valid.txt');
    expect(heldOut.choices).toEqual(['auto', 'end', 'each', 'test', 'train.txt']);
    expect(cleaned.parts?.count).toBe(3);
  });

  it.each(['char', 'bpe'] as const)('or the end of every file is held out, as %s tokens', async (tokenization) => {
    const set = folderOf([]);
    const lines = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i % 10}`).join('');
    for (const [name, count] of [
      ['a', 50],
      ['b', 20],
      ['c', 5],
    ] as const)
      fs.writeFileSync(path.join(set, `${name}.txt`), lines(name, count));
    const { trainPath, valPath, tokenizer, notes } = await prepareText({
      ...{ dataPath: set, tokenization, trainSplit: 0.8, held_out: 'each' },
      outDir: at(`each-${tokenization}`),
    });
    const textAt = (file: string) =>
      tokenizer.decode([...new Uint16Array(new Uint8Array(fs.readFileSync(file)).buffer)]);
    const whole = [lines('a', 50), `\n${lines('b', 20)}`, `\n${lines('c', 5)}`];
    const cutOf = (text: string) => Math.trunc(text.length * 0.8);
    expect(textAt(trainPath)).toBe(whole.map((text) => `${text.slice(0, cutOf(text))}\n`).join(''));
    expect(textAt(valPath)).toBe(whole.map((text) => text.slice(cutOf(text))).join('\n'));
    expect(notes.map((one) => inEnglish(one)).join(' ')).toMatch(/the last 20\s?% of each of the 3 files/);
  });

  it('and copies of whole files are left out, and litter is not mentioned', () => {
    const set = folderOf(['a.txt', 'c.txt', '~$a.docx', '.DS_Store']);
    for (const name of ['b.txt', 'd.txt']) fs.writeFileSync(path.join(set, name), `${'A line.\n'.repeat(40)}`);
    const { files, whole } = findTexts(set, { keep: 'nothing' });
    expect(files.map((file) => path.basename(file))).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(whole?.skipped.map(({ message }) => inEnglish(message))).toEqual(['d.txt (the same as b.txt)']);
    expect(findTexts(`${set}/{a.txt,b.txt,d.txt}`, { keep: 'nothing' }).whole?.skipped).toHaveLength(1);
    expect(findTexts(set, { keep: 'duplicates' }).files).toHaveLength(4);
  });

  it('or the file in which the held-out end begins', async () => {
    const set = folderOf([]);
    for (const [name, size] of [
      ['a.txt', 600],
      ['b.txt', 300],
      ['c.txt', 100],
    ] as const)
      fs.writeFileSync(path.join(set, name), 'x y '.repeat(size / 4));
    const heldOutAt = async (trainSplit: number) => inEnglish((await readSample(set, { trainSplit })).heldOut.message);
    expect(await heldOutAt(0.75)).toMatch(/the last 25\s?% of the text, b\.txt from 50\s?% on and the file after it/);
    expect(await heldOutAt(0.95)).toMatch(/the last 5\s?% of the text, c\.txt from 50\s?% on$/);
  });
});
