// Reward datasets as training and people use them: batches in a repeatable order, and a report of all that is wrong.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createRewardDataloaders, type RewardDataLoader } from '../../../main/storage/datasets/reward-dataloaders.js';
import { openRewardDataset } from '../../../main/storage/datasets/reward-dataset-files.js';
import { createRewardDatasetWriter } from '../../../main/storage/datasets/reward-dataset-writer.js';
import { inspectRewardDataset } from '../../../main/storage/datasets/reward-dataset-inspection.js';
import { faultOf } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

const folders: string[] = [];
let root: string;
beforeEach(() => {
  root = temporaryFolder();
  folders.push(root);
});
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});
const dir = (...names: string[]): string => path.join(root, 'data', ...names);

const N = 8;
/** Sample i of a split begins with i and has crossover 1 + i % 7. */
function write(samples = { train: 90, val: 10 }, vocabSize = 200, target = dir()): void {
  const writer = createRewardDatasetWriter(target, {
    ...{ blockSize: N, tokenization: { method: 'char', vocabSize }, settings: {} },
    provenance: { train_split: 0.9, samples_per_chunk: 1 },
  });
  for (const split of ['train', 'val'] as const) {
    const rows = Array.from({ length: samples[split] }, (_, i) => i);
    const x = rows.flatMap((i) => Array.from({ length: N }, (_, t) => (i + 31 * t * t) % vocabSize));
    const y = rows.flatMap((i) => [(1 + (i % 7)) / N, (7 - (i % 7)) / N]);
    writer.append(split, Uint16Array.from(x), Float32Array.from(y));
  }
  writer.finish();
}

function firsts(loader: RewardDataLoader, epoch: number): number[] {
  return [...loader.epoch(epoch)].flatMap(({ size, x, y }) => {
    expect([x.length, y.length]).toEqual([size * N, size * 2]);
    return Array.from({ length: size }, (_, row) => {
      const i = x[row * N] ?? -1;
      expect(y[row * 2]).toBe((1 + (i % 7)) / N);
      expect(x[row * N + 1]).toBe((i + 31) % 200);
      return i;
    });
  });
}

describe('data loaders', () => {
  it('give every sample once an epoch, in batches of 32 with the rest at the end', () => {
    write();
    const { train, val, close } = createRewardDataloaders(dir());
    expect([train.batchSize, train.length, val.length]).toEqual([32, 3, 1]);
    expect([...train.epoch(0)].map(({ size }) => size)).toEqual([32, 32, 26]);
    expect(firsts(train, 0).sort((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i));
    expect(firsts(val, 5)).toEqual(Array.from({ length: 10 }, (_, i) => i));
    close();
  });

  it('shuffle training samples by seed and epoch, whatever the size of a batch', () => {
    write();
    const order = (batchSize: number, seed: number, epoch: number) => {
      const { train, close } = createRewardDataloaders(dir(), { batchSize, seed });
      const found = firsts(train, epoch);
      close();
      return found;
    };
    const first = order(7, 3, 2);
    expect(first).not.toEqual([...first].sort((a, b) => a - b));
    expect(order(90, 3, 2)).toEqual(first);
    expect(order(90, 3, 1)).not.toEqual(first);
    expect(order(90, 4, 2)).not.toEqual(first);
    for (const batchSize of [0, 1.5]) expect(() => order(batchSize, 3, 2)).toThrow(RangeError);
  });

  const messageOf = (options = {}) => faultOf(() => createRewardDataloaders(dir(), options)).message;
  /** Puts the validation split of another dataset next to the training split. */
  const replaceVal = (from: string) => {
    for (const name of ['val_x.bin', 'val_y.bin', 'val_metadata.txt'])
      fs.copyFileSync(path.join(from, name), dir(name));
  };

  it('check what was expected, and that the splits agree', () => {
    write();
    expect(messageOf({ expectedTokenization: { method: 'bpe', vocabSize: 50257 } })).toBe(
      "Tokenization method mismatch: dataset uses 'char' but expected 'bpe'",
    );
    expect(messageOf({ expectedTokenization: { method: 'char', vocabSize: 65 } })).toBe(
      'Vocabulary size mismatch: dataset uses 200 but expected 65',
    );
    const other = path.join(root, 'other');
    write({ train: 90, val: 10 }, 300, other);
    replaceVal(other);
    expect(messageOf()).toBe(
      'Tokenization mismatch detected: Train: char (vocab_size=200), Val: char (vocab_size=300)',
    );
  });

  it('refuse splits of different block sizes', () => {
    write();
    const other = path.join(root, 'other');
    write({ train: 90, val: 10 }, 200, other);
    const metadata = path.join(other, 'val_metadata.txt');
    const text = fs.readFileSync(metadata, 'utf8').replace('block_size: 8', 'block_size: 16');
    fs.writeFileSync(
      metadata,
      text.replaceAll('(10, 8)', '(5, 16)').replaceAll('(10, 2)', '(5, 2)').replace(': 10', ': 5'),
    );
    fs.truncateSync(path.join(other, 'val_y.bin'), 5 * 8);
    replaceVal(other);
    expect(messageOf()).toBe('Block size mismatch: Train: 8, Val: 16');
  });

  it('come with the documented get_stats and get_tokenization_info', () => {
    write();
    const dataset = openRewardDataset(dir(), 'train');
    expect(dataset.tokenizationInfo()).toEqual({ method: 'char', vocabSize: 200, metaPath: null });
    expect(dataset.stats()).toMatchObject({ num_samples: 90, tokenization_method: 'char', vocab_size: 200 });
    expect(dataset.stats().prob_sum_mean.toFixed(6)).toBe('1.000000');
    dataset.close();
  });
});

describe('inspecting a dataset', () => {
  it('gives the report, the quality and a batch, in the documented words', () => {
    write();
    const { text, faults } = inspectRewardDataset(dir());
    expect(faults).toEqual([]);
    const after = text.slice(text.indexOf('Dataset Quality'));
    expect(text.startsWith(`=== Reward Dataset Info: ${dir()} ===\n\nTRAIN SET:\n  Samples: 90\n`)).toBe(true);
    const lines = after.split('\n');
    expect(lines.slice(0, 7)).toEqual([
      'Dataset Quality Validation:',
      '✅ Probability sums: All samples sum to 1.000000',
      '✅ Token ranges: All tokens within vocab bounds',
      '✅ Split consistency: 90.0% train, 10.0% validation',
      '✅ Tokenization: Consistent across all samples',
      '✅ File integrity: All binary files valid',
      '✅ Metadata: Complete tokenization information',
    ]);
    expect(lines[7]).toMatch(/^✅ Generation quality: generated text has distinct-2/);
    expect(lines.slice(8)).toEqual([
      '',
      '=== DataLoader Test ===',
      'Train batches: 23',
      'Val batches: 3',
      'Batch X shape: torch.Size([4, 8])',
      'Batch Y shape: torch.Size([4, 2])',
      expect.stringMatching(/^Batch Y sample: tensor\(\[0\.\d{4}, 0\.\d{4}\]\)$/) as unknown as string,
    ]);
  });

  it('reports every problem, not only the first', () => {
    write();
    fs.truncateSync(dir('val_x.bin'), 100);
    const y = fs.readFileSync(dir('train_y.bin'));
    y.writeFloatLE(0.9, 8);
    fs.writeFileSync(dir('train_y.bin'), y);
    const x = fs.readFileSync(dir('train_x.bin'));
    x.writeUInt16LE(5000, 40);
    fs.writeFileSync(dir('train_x.bin'), x);
    const { text, faults } = inspectRewardDataset(dir());
    expect(faults.map(({ code }) => code).sort()).toEqual(['binary_file', 'file_damaged', 'file_damaged']);
    expect(text).toMatch(/❌ Probability sums: .*sample 1 has the target \[0\.8999\d*, 0\.75\]/);
    expect(text).toContain('❌ Token ranges: Token range incompatible in train data:');
    expect(text).toMatch(/❌ File integrity: .*val_x\.bin has 100 bytes; its metadata promises 160/);
    expect(text).toContain('✅ Metadata: Complete tokenization information');
    expect(text).not.toContain('DataLoader Test');
  });

  it('warns of metadata without a tokenization, and of splits that do not agree', () => {
    write({ train: 90, val: 10 }, 50257);
    const old = fs.readFileSync(dir('val_metadata.txt'), 'utf8').split('\n').slice(0, 6).join('\n');
    fs.writeFileSync(dir('val_metadata.txt'), old);
    const { text, faults } = inspectRewardDataset(dir());
    expect(faults).toEqual([]);
    expect(text).toContain('⚠️ Metadata: Incomplete tokenization information');
    expect(text).toContain('❌ Tokenization: Train: char (vocab_size=50257), Val: bpe (vocab_size=50257)');
    expect(text).toContain('⚠️ Tokenization mismatch detected:');
  });

  it('warns of splits that name different vocabularies of the same size', () => {
    write();
    for (const split of ['train', 'val'])
      fs.appendFileSync(dir(`${split}_metadata.txt`), `meta_path: ${split}/meta.pkl\n`);
    const { text, faults } = inspectRewardDataset(dir());
    expect(faults).toEqual([]);
    expect(text).toContain('⚠️ Tokenization: Train names meta_path train/meta.pkl, val val/meta.pkl');
  });

  it('says what is missing altogether', () => {
    const { text, faults } = inspectRewardDataset(dir('nowhere'));
    expect(faults[0]?.message).toBe(`Reward dataset not found: ${dir('nowhere')}`);
    expect(text).toContain('❌ Metadata: Reward dataset not found');
    expect(text).toContain('❌ File integrity: Not all of it could be read');
  });
});
