// From text to token files: nanoGPT's bytes, a clear error for every bad text, and nothing half-written.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeMetaPickle } from '../../../main/formats/pickle/meta-pickle.js';
import { loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';
import { openBinaryData, type PrepareOptions, prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { faultOfAsync } from '../fault-of.js';
import { contents, temporaryFolder } from '../faults.js';

let root: string;
let folder: string;
let count = 0;
beforeAll(async () => {
  root = temporaryFolder();
  fs.chmodSync(root, 0o755);
  await build({
    entryPoints: [path.join(import.meta.dirname, 'prepare-child.ts')],
    outfile: path.join(root, 'child.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  folder = path.join(root, `case${++count}`);
  fs.mkdirSync(folder);
});

const at = (...names: string[]): string => path.join(folder, ...names);
const sha256 = (file: string): string => createHash('sha256').update(fs.readFileSync(file)).digest('hex');
const idsIn = (file: string): number[] => Array.from(new Uint16Array(new Uint8Array(fs.readFileSync(file)).buffer));

/** Prepares `text` (written to input.txt unless it is a path that is there) into a folder `out`. */
function prepare(text: string | Uint8Array, options: Partial<PrepareOptions> = {}) {
  fs.writeFileSync(at('input.txt'), text);
  return prepareText({
    dataPath: at('input.txt'),
    tokenization: 'char',
    trainSplit: 0.9,
    outDir: at('out'),
    ...options,
  });
}

describe('char', () => {
  it("writes the bytes of nanoGPT's prepare.py, meta.pkl included, for a text of many scripts and line ends", async () => {
    const text = ('Zażółć\r\ngęślą jaźń\r"Ωmega" 中文\n\u{1f600}\u{1f680} ÿ\u00a0\ufffd\ufeff' + 'tail\t').repeat(4099);
    const data = await prepare(text);
    // data/shakespeare_char/prepare.py with array('H') in numpy's place; open() is in text mode there too.
    const program = `
import pickle, sys
from array import array
data = open(sys.argv[1], encoding='utf-8').read()
chars = sorted(list(set(data)))
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for i, ch in enumerate(chars)}
n = len(data)
for name, part in (('train', data[:int(n * 0.9)]), ('val', data[int(n * 0.9):])):
    array('H', [stoi[c] for c in part]).tofile(open(sys.argv[2] + '/' + name + '.bin', 'wb'))
pickle.dump({'vocab_size': len(chars), 'itos': itos, 'stoi': stoi}, open(sys.argv[2] + '/meta.pkl', 'wb'))
`;
    fs.mkdirSync(at('python'));
    expect(spawnSync('python3', ['-c', program, at('input.txt'), at('python')], { encoding: 'utf8' }).stderr).toBe('');
    expect(contents(at('out'))).toEqual(contents(at('python')));
    expect(data.trainTokens + data.valTokens).toBe([...text.replace(/\r\n?/g, '\n')].length);
    expect(data).toMatchObject({ method: 'char', metaPath: at('out', 'meta.pkl'), trainPath: at('out', 'train.bin') });
  });

  it('uses a meta.pkl that was named, or is next to the text', async () => {
    fs.writeFileSync(at('my.pkl'), writeMetaPickle(['c', 'b', 'a']));
    const named = await prepare('abcabcabca', { tokenization: 'auto', metaPath: at('my.pkl') });
    expect(named.tokenizer.vocabSize).toBe(3);
    expect(idsIn(named.trainPath)).toEqual([2, 1, 0, 2, 1, 0, 2, 1, 0]);
    expect(idsIn(named.valPath)).toEqual([2]);
    fs.renameSync(at('my.pkl'), at('meta.pkl'));
    const found = await prepare('abcabcabca', { tokenization: 'auto', outDir: at('other') });
    expect(contents(at('other'))).toEqual(contents(at('out')));
    expect(found.reason.code).toBe('tokens.reason.file');
  });

  it("is chosen for a folder whose name contains char, and bpe for others; the folder's input.txt is read", async () => {
    for (const [name, method] of [
      ['shakespeare_char', 'char'],
      ['shakespeare', 'bpe'],
    ] as const) {
      fs.mkdirSync(at(name));
      fs.writeFileSync(at(name, 'input.txt'), 'hello world, hello world');
      const data = await prepareText({
        dataPath: at(name),
        tokenization: 'auto',
        trainSplit: 0.5,
        outDir: at(name, 'out'),
      });
      expect(data.method).toBe(method);
    }
  });
});

describe('bpe', () => {
  it('splits by characters first, then encodes each part', async () => {
    const tokenizer = await loadBpeTokenizer();
    const text = 'One two three 中文 \u{1f600}\u{1f600} four, five. '.repeat(300);
    const data = await prepare(text, { tokenization: 'bpe', trainSplit: 0.77 });
    const characters = [...text];
    const cut = Math.trunc(characters.length * 0.77);
    expect(idsIn(data.trainPath)).toEqual(Array.from(tokenizer.encode(characters.slice(0, cut).join(''))));
    expect(idsIn(data.valPath)).toEqual(Array.from(tokenizer.encode(characters.slice(cut).join(''))));
    expect(fs.readdirSync(at('out'))).toEqual(['train.bin', 'val.bin']);
  });

  it('encodes a file of several pieces as the whole', async () => {
    const tokenizer = await loadBpeTokenizer();
    const text = Array.from(
      { length: 40_000 },
      (_, i) => `${i} it's  we'll\t${'\n'.repeat(i % 4)}don't ${i % 7 === 0 ? 'naïve–' : ''}`,
    ).join('');
    expect(Buffer.byteLength(text)).toBeGreaterThan(1 << 20);
    const data = await prepare(text, { tokenization: 'bpe', trainSplit: 0.99 });
    const cut = Math.trunc(text.length * 0.99);
    expect(sha256(data.trainPath)).toBe(
      createHash('sha256')
        .update(Buffer.from(tokenizer.encode(text.slice(0, cut)).buffer))
        .digest('hex'),
    );
  });

  it('does not write next to a meta.pkl, which would make characters of its tokens', async () => {
    await prepare('hello world', {});
    const before = contents(at('out'));
    expect((await faultOfAsync(prepare('hello world', { tokenization: 'bpe' }))).code).toBe('exists');
    expect(contents(at('out'))).toEqual(before);
  });
});

/** The text is not in the repository; where it lies next to it, its files must have nanoGPT's bytes. */
const tinyshakespeare = path.resolve(import.meta.dirname, '../../../../shared/data/tinyshakespeare.txt');
if (fs.existsSync(tinyshakespeare)) {
  it.each([
    [
      'char',
      {
        train: '6ec305602a99ac2802745a134e1f5e33e2231b4855525b00b9aebb730ac2626f',
        val: 'd37d30cc0c8327c270d493299c3dca54135f6d5f1c9ef60cda78076e311204b1',
      },
      [1003854, 111540],
    ],
    [
      'bpe',
      {
        train: '502a2bdc8210d1ac5d5674867cb74467dd31db575d25cf6dbb08c8bdbea8680f',
        val: '68a53422394c26a655ebe641f5c6f49888e8f4e45fe5d6f02abda63ba3ebd65b',
      },
      [301966, 36059],
    ],
  ] as const)("tinyshakespeare as %s has nanoGPT's bytes and counts", async (tokenization, hashes, counts) => {
    const data = await prepareText({ dataPath: tinyshakespeare, tokenization, trainSplit: 0.9, outDir: at('out') });
    expect([data.trainTokens, data.valTokens]).toEqual(counts);
    expect({ train: sha256(data.trainPath), val: sha256(data.valPath) }).toEqual(hashes);
    // Written by Python 3.11's pickle from the dictionary of prepare.py.
    if (data.metaPath !== null)
      expect(sha256(data.metaPath)).toBe('6ee5a37533af83b67fcbe6b93705fde9e15e78bafe895f54b2cb2cb32534526c');
  });
}

describe('a bad text is a clear error, and nothing is written', () => {
  const refused = async (text: string | Uint8Array, options: Partial<PrepareOptions> = {}) => {
    const fault = await faultOfAsync(prepare(text, options));
    expect(fs.existsSync(at('out'))).toBe(false);
    return { ...fault, message: fault.message.replaceAll(`${folder}/`, '') };
  };

  it('empty', async () => {
    expect(await refused('')).toMatchObject({
      code: 'text_too_short',
      message: 'input.txt is empty',
      field: 'data_path',
    });
    expect(await refused('\ufeff', { tokenization: 'bpe' })).toMatchObject({ code: 'text_too_short' });
  });

  it('one single character repeated', async () => {
    for (const tokenization of ['char', 'bpe'] as const) {
      expect(await refused('a'.repeat(5000), { tokenization })).toMatchObject({
        code: 'bad_input',
        message: 'input.txt contains nothing but the character "a" (U+0061), 5,000 times',
      });
    }
  });

  it('too short for both parts', async () => {
    expect(await refused('ab', { trainSplit: 0.1 })).toMatchObject({
      code: 'text_too_short',
      message: 'The text has 2 characters, so a train_split of 0.1 leaves nothing to train on',
      field: 'train_split',
    });
  });

  it('changed while it is read', async () => {
    let calls = 0;
    const onProgress = () => {
      calls += 1;
      // After the first reading, which counts; the second encodes.
      if (calls === 1) fs.appendFileSync(at('input.txt'), ' a good text');
    };
    expect(await refused('a good text, with letters', { onProgress })).toMatchObject({
      code: 'file_damaged',
      message: expect.stringContaining('changed while it was being read') as string,
      field: 'data_path',
    });
  });

  it('shorter than a block, in either part', async () => {
    const text = 'abcdefghij'.repeat(10);
    expect(await refused(text, { blockSize: 100 })).toMatchObject({
      code: 'text_too_short',
      message: 'The training text has 90 tokens; a block_size of 100 needs at least 101',
    });
    expect((await refused(text, { blockSize: 10 })).message).toBe(
      'The held-out text has 10 tokens; a block_size of 10 needs at least 11',
    );
  });

  it('binary junk, and invalid UTF-8 after megabytes of text', async () => {
    expect(await refused(Buffer.from('text\0text'))).toMatchObject({ code: 'text_encoding' });
    const bytes = Buffer.alloc(3_000_000, 'abé ').fill(0xff, 2_900_000);
    expect((await refused(bytes)).message).toContain('byte 2900000 (0xFF)');
  });

  it('a character that the given vocabulary lacks, wherever it stands', async () => {
    fs.writeFileSync(at('my.pkl'), writeMetaPickle(['\n', 'a', 'b']));
    const text = `${'ab\n'.repeat(500_000)}abé`;
    expect(await refused(text, { metaPath: at('my.pkl') })).toMatchObject({
      code: 'unknown_character',
      message:
        'The character "é" (U+00E9) is not in the vocabulary: line 500001, column 3 (character 1500002 of the text, counted from 0)',
    });
  });

  it('a vocabulary that is missing or damaged', async () => {
    expect(await refused('abc', { metaPath: at('none.pkl') })).toMatchObject({
      code: 'meta_file',
      message: 'Meta file not found: none.pkl',
      field: 'meta_path',
    });
    fs.writeFileSync(at('bad.pkl'), 'cos\nsystem\n(S"true"\ntR.');
    expect((await refused('abc', { metaPath: at('bad.pkl') })).message).toBe(
      'bad.pkl: not an acceptable pickle: it uses "os.system", which could run code; nothing was run (byte 0)',
    );
  });

  it('stopped on the way', async () => {
    let pieces = 0;
    const stop = { requested: false };
    const onProgress = () => {
      pieces += 1;
      stop.requested = pieces === 5; // in the second reading
    };
    expect((await refused('abc\n'.repeat(1_000_000), { stop, onProgress })).code).toBe('stopped');
  });
});

describe('in a process of its own', () => {
  const child = (args: readonly string[], limit?: string): unknown => {
    const command = `${limit === undefined ? '' : `ulimit ${limit}; `}exec "$0" "$@"`;
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', command, process.execPath, path.join(root, 'child.mjs'), ...args],
      { encoding: 'utf8' },
    );
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };

  it('a text of 96 MB takes no more memory than one of 24 MB', () => {
    const line = 'It was the best of times, it was the worst of times, naïve café. \n'.repeat(12_000);
    const disk = fs.mkdtempSync(path.join(os.tmpdir(), 'verisim-large-')); // too large for a file system in memory
    const [file, out] = [path.join(disk, 'big.txt'), path.join(disk, 'out')];
    const measure = (times: number): number => {
      const handle = fs.openSync(file, 'w');
      for (let i = 0; i < times; i++) fs.writeSync(handle, line);
      fs.closeSync(handle);
      const result = child([file, out]) as { trainTokens: number; valTokens: number; peakBytes: number };
      expect(result.trainTokens + result.valTokens).toBe([...line].length * times);
      return result.peakBytes;
    };
    try {
      // Long enough for V8 to have collected as much garbage at once as it ever will (a text of 8 MB: 20 to 46 MB less).
      const small = measure(30);
      // More than half a byte kept of each that is read.
      expect(measure(120) - small).toBeLessThan(40e6);
    } finally {
      fs.rmSync(disk, { recursive: true });
    }
  });
});

describe('a dataset that was prepared before', () => {
  it('is opened, checked and read', async () => {
    const made = await prepare('hello world\n'.repeat(20));
    const data = await openBinaryData({ trainBin: made.trainPath, valBin: made.valPath, tokenization: 'auto' });
    expect(data).toMatchObject({ method: 'char', metaPath: made.metaPath, trainTokens: 216, valTokens: 24, notes: [] });
    expect(data.tokenizer.decode(data.train.read(0, 12))).toBe('hello world\n');
    expect(data.tokenizer.decode(data.val.read(0, 12))).toBe('hello world\n');
    data.close();
  });

  it('is refused in the documented words', async () => {
    const made = await prepare('hello world '.repeat(20), { tokenization: 'bpe' });
    const open = (change: object) =>
      faultOfAsync(openBinaryData({ trainBin: made.trainPath, valBin: made.valPath, tokenization: 'auto', ...change }));
    expect(await open({ trainBin: 'nonexistent.bin' })).toMatchObject({
      code: 'file_not_found',
      message: 'Train binary file not found: nonexistent.bin',
    });
    expect(await open({ tokenization: 'char' })).toMatchObject({
      code: 'meta_file',
      message: "meta_path is required when tokenization is 'char'",
      hint: 'Specify --meta_path when using character tokenization, or use --tokenization auto',
    });
    fs.writeFileSync(at('my.pkl'), writeMetaPickle(['a', 'b']));
    expect((await open({ metaPath: at('my.pkl') })).message).toContain('Token range incompatible in train data: ');
    fs.appendFileSync(made.valPath, 'x');
    expect(await open({})).toMatchObject({ code: 'binary_file', field: 'val_bin' });
  });
});
