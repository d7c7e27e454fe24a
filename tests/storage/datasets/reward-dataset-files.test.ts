// The reward dataset on disk: the specification's files, whole or not at all, and refused when they do not fit together.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../shared/errors.js';
import { recover } from '../../../main/storage/disk/atomic.js';
import type { FileOperations } from '../../../main/storage/disk/file-operations.js';
import { openRewardDataset } from '../../../main/storage/datasets/reward-dataset-files.js';
import { createRewardDatasetWriter } from '../../../main/storage/datasets/reward-dataset-writer.js';
import { useDatasetFolder } from './dataset-folder.js';
import { faultOf } from '../fault-of.js';
import { contents, withEveryFault } from '../faults.js';

const tokenization = { method: 'char', vocabSize: 65, metaPath: 'data/shakespeare_char/meta.pkl' } as const;
const options = { blockSize: 4, tokenization, settings: { seed: 42 } };

const dir = useDatasetFolder();

/** Three training samples in two batches, and one for validation; those that an earlier run has written are left out. */
function write(target: string, ops?: FileOperations, overwrite = false): void {
  const writer = createRewardDatasetWriter(target, { ...options, overwrite }, ops);
  const done = { train: 0, val: 0 };
  const append = (split: 'train' | 'val', x: readonly number[], y: readonly number[]) => {
    done[split] += y.length / 2;
    if (done[split] > writer.settled[split].planned) writer.append(split, Uint16Array.from(x), Float32Array.from(y));
  };
  try {
    append('train', [1, 2, 3, 4, 5, 6, 7, 8], [0.25, 0.75, 0.5, 0.5]);
    append('val', [64, 0, 1, 2], [0.75, 0.25]);
    append('train', [9, 10, 11, 12], [0.75, 0.25]);
    writer.finish();
  } finally {
    writer.close();
  }
}

describe('writing', () => {
  it("makes the specification's files, which numpy's users can read", () => {
    write(dir());
    const program = `
import json, sys
from array import array
def load(name, kind):
    values = array(kind); data = open(sys.argv[1] + '/' + name, 'rb').read(); values.frombytes(data); return list(values)
print(json.dumps([load('train_x.bin', 'H'), load('train_y.bin', 'f'), load('val_x.bin', 'H'), load('val_y.bin', 'f')]))
`;
    const { stdout } = spawnSync('python3', ['-c', program, dir()], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      [0.25, 0.75, 0.5, 0.5, 0.75, 0.25],
      [64, 0, 1, 2],
      [0.75, 0.25],
    ]);
    expect(fs.readdirSync(dir())).toEqual([
      'train_metadata.txt',
      'train_x.bin',
      'train_y.bin',
      'val_metadata.txt',
      'val_x.bin',
      'val_y.bin',
    ]);
    expect(fs.readFileSync(path.join(dir(), 'train_metadata.txt'), 'utf8')).toBe(
      'num_samples: 3\nblock_size: 4\nx_shape: (3, 4)\ny_shape: (3, 2)\nx_dtype: uint16\ny_dtype: float32\n' +
        'tokenization_method: char\nvocab_size: 65\nmeta_path: data/shakespeare_char/meta.pkl\n' +
        'format_version: 1\nskipped_samples: 0\n',
    );
  });

  it('shows nothing before finish, and leaves nothing when nothing was written', () => {
    const writer = createRewardDatasetWriter(dir(), options);
    writer.append('train', Uint16Array.of(1, 2, 3, 4), Float32Array.of(0.25, 0.75));
    expect(fs.existsSync(dir())).toBe(false);
    writer.close();
    expect(fs.existsSync(dir())).toBe(false);
    createRewardDatasetWriter(dir('other'), options).close();
    expect(fs.readdirSync(path.dirname(dir()))).toEqual(['data.partial']);
  });

  it('replaces a dataset only on request, and never anything else', () => {
    write(dir());
    const before = contents(path.dirname(dir()));
    expect(faultOf(() => write(dir()))).toMatchObject({
      code: 'exists',
      message: `There is a reward dataset already: ${dir()}`,
      field: 'output_dir',
    });
    expect(contents(path.dirname(dir()))).toEqual(before);
    write(dir(), undefined, true);
    expect(contents(path.dirname(dir()))).toEqual(before);
    fs.writeFileSync(path.join(dir(), 'novel.txt'), 'mine');
    const fault = faultOf(() => write(dir(), undefined, true));
    expect(fault).toMatchObject({
      code: 'exists',
      message: `${dir()} holds something other than a reward dataset: novel.txt`,
    });
    fs.writeFileSync(dir('file'), 'mine');
    expect(faultOf(() => write(dir('file'), undefined, true)).code).toBe('exists');
    fs.mkdirSync(dir('empty'));
    write(dir('empty'));
    expect(openRewardDataset(dir('empty'), 'train').numSamples).toBe(3);
  });

  it.each([
    ['where there is none', false],
    ['in place of another', true],
  ])(
    '%s: the dataset is whole, the old one, or not there, whatever fails, and the next run makes it whole',
    (_, isThere) => {
      write(dir('whole'));
      const fresh = Object.fromEntries(
        Object.entries(contents(dir('whole'))).map(([name, text]) => [`d/${name}`, text]),
      );
      const old: Record<string, string> = isThere ? { 'd/train_x.bin': 'old' } : {};
      const own = (folder: string) =>
        Object.fromEntries(Object.entries(contents(folder)).filter(([name]) => !name.startsWith('d.partial/')));
      const operations = withEveryFault(
        (folder) => {
          if (!isThere) return;
          fs.mkdirSync(path.join(folder, 'd'));
          fs.writeFileSync(path.join(folder, 'd', 'train_x.bin'), 'old');
        },
        (folder, ops) => write(path.join(folder, 'd'), ops, isThere),
        (folder, { error, fault }) => {
          recover(folder);
          expect([old, fresh]).toContainEqual(own(folder));
          if (error instanceof UserError && fault === 'ENOSPC') expect(error.code).toBe('disk_full');
          if (error === null) expect(contents(folder)).toEqual(fresh);
          // The process that crashed is gone; its lock would otherwise be held by this one.
          for (const name of fs.existsSync(path.join(folder, 'd.partial'))
            ? fs.readdirSync(path.join(folder, 'd.partial'))
            : []) {
            if (name.startsWith('lock')) fs.rmSync(path.join(folder, 'd.partial', name), { recursive: true });
          }
          write(path.join(folder, 'd'), undefined, true);
          expect(contents(folder)).toEqual(fresh);
        },
      );
      expect(operations).toBeGreaterThan(60);
    },
  );
});

describe('reading', () => {
  it('gives any samples by position', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(20),
        fc.nat(20),
        (n, blockSize, a, b) => {
          const [first, last] = [Math.min(a, b, n), Math.min(Math.max(a, b), n)];
          const x = Uint16Array.from({ length: n * blockSize }, (_, i) => i % 65);
          const y = Float32Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? i / 64 : 1 - (i - 1) / 64));
          const writer = createRewardDatasetWriter(dir(), { ...options, blockSize, overwrite: true });
          writer.append('train', x, y);
          writer.finish();
          const samples = openRewardDataset(dir(), 'train');
          expect([samples.numSamples, samples.blockSize]).toEqual([n, blockSize]);
          expect(samples.x(first, last - first)).toEqual(x.slice(first * blockSize, last * blockSize));
          expect(samples.y(first, last - first)).toEqual(y.slice(2 * first, 2 * last));
          expect(() => samples.x(n, 1)).toThrow(RangeError);
          expect(() => samples.y(n, 1)).toThrow(RangeError);
          samples.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('tells the tokenization and the statistics', () => {
    write(dir());
    const samples = openRewardDataset(dir(), 'train', {
      expectedTokenization: { method: 'char', vocabSize: 65 },
      expectedBlockSize: 4,
    });
    expect(samples.tokenization).toEqual(tokenization);
    expect(samples.stats()).toMatchObject({
      num_samples: 3,
      y_mean: [0.5, 0.5],
      prob_sum_mean: 1,
      tokenization_method: 'char',
    });
    samples.close();
  });

  it('refuses another tokenization or block size than was expected', () => {
    write(dir());
    const open = (expected: Parameters<typeof openRewardDataset>[2]) =>
      faultOf(() => openRewardDataset(dir(), 'train', expected));
    expect(open({ expectedTokenization: { method: 'bpe', vocabSize: 50257 } })).toMatchObject({
      code: 'tokenization_mismatch',
      message: "Tokenization method mismatch: dataset uses 'char' but expected 'bpe'",
    });
    expect(open({ expectedBlockSize: 8 }).code).toBe('bad_input');
  });

  it.each([
    ['train_x.bin', 'cut short', (bytes: Buffer) => bytes.subarray(2), 'file_damaged', 'promises 24 (3 × 4 uint16)'],
    [
      'train_y.bin',
      'too long',
      (bytes: Buffer) => Buffer.concat([bytes, bytes]),
      'file_damaged',
      'has 48 bytes; its metadata promises 24 (3 × 2 float32)',
    ],
    [
      'train_x.bin',
      'with an unknown id',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(2), Buffer.from([65, 0])]),
      'binary_file',
      'has the id 65 at position 11, but vocab_size is 65',
    ],
    [
      'train_y.bin',
      'with targets that are none',
      (bytes: Buffer) => Buffer.alloc(bytes.length),
      'file_damaged',
      'sample 0 has the target [0, 0]',
    ],
    ['train_metadata.txt', 'empty', () => Buffer.alloc(0), 'file_damaged', 'num_samples is missing'],
  ])('refuses %s %s', (name, _, change, code, message) => {
    write(dir());
    const file = path.join(dir(), name);
    fs.writeFileSync(file, change(fs.readFileSync(file)));
    const fault = faultOf(() => openRewardDataset(dir(), 'train'));
    expect(fault.code).toBe(code);
    expect(fault.message).toContain(message);
    expect(fault.message).toContain(file);
  });

  it('says what is missing', () => {
    expect(faultOf(() => openRewardDataset(dir('none'), 'train'))).toMatchObject({
      code: 'file_not_found',
      message: `Reward dataset not found: ${dir('none')}`,
    });
    write(dir());
    fs.rmSync(path.join(dir(), 'val_y.bin'));
    expect(faultOf(() => openRewardDataset(dir(), 'val')).message).toBe(
      `Reward dataset file not found: ${path.join(dir(), 'val_y.bin')}`,
    );
  });

  it('takes a dataset without samples', () => {
    createRewardDatasetWriter(dir(), options).finish();
    const samples = openRewardDataset(dir(), 'val');
    expect([samples.numSamples, samples.x(0, 0).length, samples.stats().y_mean]).toEqual([0, 0, [NaN, NaN]]);
    samples.close();
  });
});
