// Reward datasets as training and people use them: batches in a repeatable order, and a report of all that is wrong.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createRewardDataloaders, type RewardDataLoader } from '../../../main/storage/datasets/reward-dataloaders.js';
import { createRewardDatasetWriter, openRewardDataset } from '../../../main/storage/datasets/reward-dataset-files.js';
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

async function firsts(loader: RewardDataLoader, epoch: number): Promise<number[]> {
  const found: number[] = [];
  for await (const { size, x, y } of loader.epoch(epoch)) {
    expect([x.length, y.length]).toEqual([size * N, size * 2]);
    for (let row = 0; row < size; row++) {
      const i = x[row * N] ?? -1;
      expect(y[row * 2]).toBe((1 + (i % 7)) / N);
      expect(x[row * N + 1]).toBe((i + 31) % 200);
      found.push(i);
    }
  }
  return found;
}

describe('data loaders', () => {
  it('give every sample once an epoch, in batches of 32 with the rest at the end', async () => {
    write();
    const { train, val, close } = createRewardDataloaders(dir());
    expect([train.batchSize, train.length, val.length]).toEqual([32, 3, 1]);
    const sizes = [];
    for await (const { size } of train.epoch(0)) sizes.push(size);
    expect(sizes).toEqual([32, 32, 26]);
    expect((await firsts(train, 0)).sort((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i));
    expect(await firsts(val, 5)).toEqual(Array.from({ length: 10 }, (_, i) => i));
    close();
  });

  it('shuffle training samples by seed and epoch, however much is read ahead', async () => {
    write();
    const orders = [];
    for (const prefetch of [0, 1, 7]) {
      const { train, close } = createRewardDataloaders(dir(), { batchSize: 7, prefetch, seed: 3 });
      orders.push(await firsts(train, 2));
      close();
    }
    expect(orders[1]).toEqual(orders[0]);
    expect(orders[2]).toEqual(orders[0]);
    expect(orders[0]).not.toEqual([...(orders[0] ?? [])].sort((a, b) => a - b));
    const { train, close } = createRewardDataloaders(dir(), { batchSize: 90, seed: 3 });
    expect(await firsts(train, 2)).toEqual(orders[0]);
    expect(await firsts(train, 1)).not.toEqual(orders[0]);
    close();
    const other = createRewardDataloaders(dir(), { batchSize: 90, seed: 4 });
    expect(await firsts(other.train, 2)).not.toEqual(orders[0]);
    other.close();
  });

  it('can be left in the middle of an epoch', async () => {
    write();
    const { train, close } = createRewardDataloaders(dir(), { batchSize: 4, prefetch: 3 });
    for await (const { size } of train.epoch(0)) {
      expect(size).toBe(4);
      break;
    }
    close();
    fs.rmSync(dir(), { recursive: true });
  });

  it('check what was expected, and that the splits agree', () => {
    write();
    const expectedTokenization = { method: 'bpe', vocabSize: 50257 } as const;
    expect(faultOf(() => createRewardDataloaders(dir(), { expectedTokenization })).message).toBe(
      "Tokenization method mismatch: dataset uses 'char' but expected 'bpe'",
    );
    const expected = { method: 'char', vocabSize: 65 } as const;
    expect(faultOf(() => createRewardDataloaders(dir(), { expectedTokenization: expected })).message).toBe(
      'Vocabulary size mismatch: dataset uses 200 but expected 65',
    );
    const other = path.join(root, 'other');
    write({ train: 90, val: 10 }, 300, other);
    for (const name of ['val_x.bin', 'val_y.bin', 'val_metadata.txt'])
      fs.copyFileSync(path.join(other, name), dir(name));
    expect(faultOf(() => createRewardDataloaders(dir())).message).toBe(
      'Tokenization mismatch detected: Train: char (vocab_size=200), Val: char (vocab_size=300)',
    );
  });

  it('say that the splits have passages of different lengths, and want batches of whole samples', () => {
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
    for (const name of ['val_x.bin', 'val_y.bin', 'val_metadata.txt'])
      fs.copyFileSync(path.join(other, name), dir(name));
    expect(faultOf(() => createRewardDataloaders(dir())).message).toBe('Block size mismatch: Train: 8, Val: 16');
    const third = path.join(root, 'third');
    write({ train: 9, val: 1 }, 200, third);
    for (const batchSize of [0, 1.5]) {
      expect(() => createRewardDataloaders(third, { batchSize })).toThrow(RangeError);
    }
  });

  it('say when the files are cut short while they are read', async () => {
    write();
    const { train, close } = createRewardDataloaders(dir(), { batchSize: 90 });
    fs.truncateSync(dir('train_y.bin'), 8 * 89);
    await expect(firsts(train, 0)).rejects.toMatchObject({ code: 'file_damaged' });
    close();
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
  it('gives the report, the quality and a batch, in the documented words', async () => {
    write();
    const { text, faults } = await inspectRewardDataset(dir());
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

  it('tells everything that is wrong with it, not only the first', async () => {
    write();
    fs.truncateSync(dir('val_x.bin'), 100);
    const y = fs.readFileSync(dir('train_y.bin'));
    y.writeFloatLE(0.9, 8);
    fs.writeFileSync(dir('train_y.bin'), y);
    const x = fs.readFileSync(dir('train_x.bin'));
    x.writeUInt16LE(5000, 40);
    fs.writeFileSync(dir('train_x.bin'), x);
    const { text, faults } = await inspectRewardDataset(dir());
    expect(faults.map(({ code }) => code).sort()).toEqual(['binary_file', 'file_damaged', 'file_damaged']);
    expect(text).toMatch(/❌ Probability sums: .*sample 1 has the target \[0\.8999\d*, 0\.75\]/);
    expect(text).toContain('❌ Token ranges: Token range incompatible in train data:');
    expect(text).toMatch(/❌ File integrity: .*val_x\.bin has 100 bytes; its metadata promises 160/);
    expect(text).toContain('✅ Metadata: Complete tokenization information');
    expect(text).not.toContain('DataLoader Test');
  });

  it('warns of metadata from before tokenization was said, and of splits that do not agree', async () => {
    write({ train: 90, val: 10 }, 50257);
    const old = fs.readFileSync(dir('val_metadata.txt'), 'utf8').split('\n').slice(0, 6).join('\n');
    fs.writeFileSync(dir('val_metadata.txt'), old);
    const { text, faults } = await inspectRewardDataset(dir());
    expect(faults).toEqual([]);
    expect(text).toContain('⚠️ Metadata: Incomplete tokenization information');
    expect(text).toContain('❌ Tokenization: Train: char (vocab_size=50257), Val: bpe (vocab_size=50257)');
    expect(text).toContain('⚠️ Tokenization mismatch detected:');
  });

  it('warns of splits that name different vocabularies of the same size', async () => {
    write();
    for (const split of ['train', 'val'])
      fs.appendFileSync(dir(`${split}_metadata.txt`), `meta_path: ${split}/meta.pkl\n`);
    const { text, faults } = await inspectRewardDataset(dir());
    expect(faults).toEqual([]);
    expect(text).toContain('⚠️ Tokenization: Train names meta_path train/meta.pkl, val val/meta.pkl');
  });

  it('says what is missing altogether', async () => {
    const { text, faults } = await inspectRewardDataset(dir('nowhere'));
    expect(faults[0]?.message).toBe(`Reward dataset not found: ${dir('nowhere')}`);
    expect(text).toContain('❌ Metadata: Reward dataset not found');
    expect(text).toContain('❌ File integrity: Not all of it could be read');
  });
});
