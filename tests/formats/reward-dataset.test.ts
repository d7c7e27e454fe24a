// The reward dataset's metadata, statistics and report, as the specification prints them.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  checkBlockSize,
  checkTokenization,
  formatRewardMetadata,
  formatRewardReport,
  parseRewardMetadata,
  type RewardStats,
  TargetStatistics,
} from '../../main/formats/reward-dataset.js';
import { faultOf } from '../storage/fault-of.js';

/** Specification 3.5. */
const example = `num_samples: 17560
block_size: 1024
x_shape: (17560, 1024)
y_shape: (17560, 2)
x_dtype: uint16
y_dtype: float32
tokenization_method: char
vocab_size: 65
meta_path: data/shakespeare_char/meta.pkl
`;

describe('metadata', () => {
  it("is written as in the specification's example", () => {
    const tokenization = { method: 'char', vocabSize: 65, metaPath: 'data/shakespeare_char/meta.pkl' } as const;
    const written = formatRewardMetadata({ numSamples: 17560, blockSize: 1024, tokenization });
    expect(written).toBe(`${example}format_version: 1\n`);
    const facts = { numSamples: 17560, blockSize: 1024, tokenization, provenance: {}, tokenizationAssumed: false };
    expect(parseRewardMetadata(example, 'f')).toEqual(facts);
    expect(parseRewardMetadata(written, 'f')).toEqual(facts);
  });

  it('with our own lines is read by a reader written to the documented text', () => {
    const provenance = { base_model_sha256: 'ab12', seed: 42, top_k: null, note: 'a: b\nnum_samples: 3' };
    const tokenization = { method: 'char', vocabSize: 65, metaPath: 'm.pkl' } as const;
    const text = formatRewardMetadata({ numSamples: 5, blockSize: 8, tokenization, provenance });
    const program = `
import json, sys
metadata = {}
for line in sys.stdin:
    key, value = line.strip().split(': ')
    metadata[key] = value
print(json.dumps(metadata))
`;
    const { stdout } = spawnSync('python3', ['-c', program], { input: text, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({
      ...{ num_samples: '5', block_size: '8', x_shape: '(5, 8)', y_shape: '(5, 2)', x_dtype: 'uint16' },
      ...{ y_dtype: 'float32', tokenization_method: 'char', vocab_size: '65', meta_path: 'm.pkl' },
      ...{ format_version: '1', base_model_sha256: 'ab12', seed: '42', top_k: 'None', note: 'a b num_samples 3' },
    });
    expect(parseRewardMetadata(text, 'f').provenance).toMatchObject({ seed: '42', top_k: 'None' });
  });

  it('of a newer format is refused, and of an old one without a tokenization is GPT-2’s', () => {
    const newer = faultOf(() => parseRewardMetadata(`${example}format_version: 2\n`, 'f'));
    expect(newer.message).toBe('f has format_version 2; this Verisim reads up to 1');
    const old = example.split('\n').slice(0, 6).join('\n');
    expect(parseRewardMetadata(old, 'f')).toMatchObject({
      tokenization: { method: 'bpe', vocabSize: 50257 },
      tokenizationAssumed: true,
    });
    const half = faultOf(() => parseRewardMetadata(`${old}\nvocab_size: 65\n`, 'f'));
    expect(half.message).toContain('tokenization_method is missing');
  });

  it('of bpe names no meta_path', () => {
    const tokenization = { method: 'bpe', vocabSize: 50257 } as const;
    const text = formatRewardMetadata({ numSamples: 0, blockSize: 8, tokenization });
    expect(text).not.toContain('meta_path');
    expect(parseRewardMetadata(text, 'f').tokenization).toEqual({ ...tokenization, metaPath: null });
  });

  it('is read with keys that are not known, and Windows line ends', () => {
    expect(
      parseRewardMetadata(`their_version: 2\nnote: a: b\n${example}`.replaceAll('\n', '\r\n'), 'f').numSamples,
    ).toBe(17560);
  });

  it.each([
    ['block_size: 1024\n', '', 'block_size is missing'],
    ['num_samples: 17560', 'num_samples: many', 'num_samples must be a whole number from 0, not "many"'],
    ['(17560, 1024)', '(17560, 512)', 'x_shape is (17560, 512), expected (17560, 1024)'],
    ['(17560, 2)', '(17560, 3)', 'y_shape is (17560, 3), expected (17560, 2)'],
    ['uint16', 'int64', 'x_dtype is int64, expected uint16'],
    ['method: char', 'method: words', 'tokenization_method cannot be "words"'],
    ['vocab_size: 65', 'vocab_size: 0', 'vocab_size must be a whole number from 1, not "0"'],
    ['x_dtype: uint16', '\u0000\u0001', 'is not "key: value"'],
  ])('with %j as %j is refused', (from, to, message) => {
    const fault = faultOf(() => parseRewardMetadata(example.replace(from, to), 'train_metadata.txt'));
    expect(fault.code).toBe('file_damaged');
    expect(fault.message).toContain("train_metadata.txt is not a reward dataset's metadata: ");
    expect(fault.message).toContain(message);
  });
});

describe('a dataset for another model', () => {
  it('is refused in the documented words', () => {
    const char = { method: 'char', vocabSize: 65 } as const;
    const bpe = { method: 'bpe', vocabSize: 50257 } as const;
    expect(faultOf(() => checkTokenization(char, bpe))).toMatchObject({
      code: 'tokenization_mismatch',
      message: "Tokenization method mismatch: dataset uses 'char' but expected 'bpe'",
    });
    expect(faultOf(() => checkTokenization(char, { ...char, vocabSize: 66 })).message).toBe(
      'Vocabulary size mismatch: dataset uses 65 but expected 66',
    );
    checkTokenization(char, { method: 'char' });
    expect(faultOf(() => checkBlockSize(64, 128)).message).toBe(
      'Block size mismatch: dataset uses 64 but expected 128',
    );
  });
});

describe('target statistics', () => {
  const metadata = { numSamples: 4, blockSize: 4, tokenization: { method: 'char', vocabSize: 3 } } as const;

  it('are those of the numbers', () => {
    const statistics = new TargetStatistics('f');
    statistics.add(Float32Array.of(0.25, 0.75, 0.5, 0.5));
    statistics.add(Float32Array.of(0.75, 0.25, 0.5, 0.5));
    expect(statistics.finish(metadata)).toEqual({
      num_samples: 4,
      block_size: 4,
      tokenization_method: 'char',
      vocab_size: 3,
      meta_path: null,
      y_min: [0.25, 0.25],
      y_max: [0.75, 0.75],
      y_mean: [0.5, 0.5],
      y_std: [Math.sqrt(0.03125), Math.sqrt(0.03125)],
      prob_sum_min: 1,
      prob_sum_max: 1,
      prob_sum_mean: 1,
    });
  });

  it('accept every target that a block can have, in single precision', () => {
    for (const N of [2, 3, 7, 64, 1000, 1024]) {
      const statistics = new TargetStatistics('f');
      for (let k = 1; k < N; k++) statistics.add(Float32Array.of(k / N, (N - k) / N));
      expect(statistics.finish(metadata).prob_sum_mean).toBeCloseTo(1, 6);
    }
  });

  it.each([[[0.5, 0.6]], [[NaN, 1]], [[1.5, -0.5]], [[Infinity, 0]], [[0, 0]]])('refuse the target %j', (target) => {
    const statistics = new TargetStatistics('train_y.bin');
    statistics.add(Float32Array.of(0.5, 0.5));
    const fault = faultOf(() => {
      statistics.add(Float32Array.from(target));
    });
    expect(fault.code).toBe('file_damaged');
    expect(fault.message).toMatch(
      /^train_y.bin: sample 1 has the target \[.*\], which is not a pair of probabilities that sum to 1$/,
    );
  });
});

describe('the report', () => {
  const of = (num_samples: number, y_mean: [number, number], y_std: [number, number]): RewardStats => ({
    num_samples,
    block_size: 1024,
    tokenization_method: 'bpe',
    vocab_size: 50257,
    meta_path: null,
    y_min: [1 / 1024, 1 / 1024],
    y_max: [1023 / 1024, 1023 / 1024],
    y_mean,
    y_std,
    prob_sum_min: 1,
    prob_sum_max: 1,
    prob_sum_mean: 1,
  });
  const train = of(17560, [0.5002, 0.4998], [0.2887, 0.2887]);
  const val = of(1940, [0.4995, 0.5005], [0.2891, 0.2891]);

  it("is the specification's to the letter (specification 3.8)", () => {
    expect(formatRewardReport('data/reward_dataset', train, val)).toBe(`=== Reward Dataset Info: data/reward_dataset ===

TRAIN SET:
  Samples: 17,560
  Block size: 1024
  Tokenization: bpe (vocab_size=50257)
  Y statistics:
    Min: [0.0009766 0.0009766]
    Max: [0.999023 0.999023]
    Mean: [0.5002 0.4998]
    Std: [0.2887 0.2887]
  Probability sums:
    Min: 1.000000
    Max: 1.000000
    Mean: 1.000000

VAL SET:
  Samples: 1,940
  Block size: 1024
  Tokenization: bpe (vocab_size=50257)
  Y statistics:
    Min: [0.0009766 0.0009766]
    Max: [0.999023 0.999023]
    Mean: [0.4995 0.5005]
    Std: [0.2891 0.2891]
  Probability sums:
    Min: 1.000000
    Max: 1.000000
    Mean: 1.000000

✅ Tokenization consistency: Both splits use bpe with vocab_size=50257`);
  });

  it('reports when the splits disagree', () => {
    const text = formatRewardReport('d', { ...train, tokenization_method: 'char', vocab_size: 65 }, val);
    expect(text).toContain(`⚠️ Tokenization mismatch detected:
    Train: char (vocab_size=65)
    Val: bpe (vocab_size=50257)`);
    expect(text).not.toContain('✅');
  });
});
