/** The specification's reward dataset: its metadata, its targets and its tokens, each damaged while the other two are good. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatRewardMetadata } from '../../../main/formats/reward-dataset.js';
import { openRewardDataset } from '../../../main/storage/datasets/reward-dataset-files.js';
import { inspectRewardDataset } from '../../../main/storage/datasets/reward-dataset-inspection.js';
import type { Sample, Subject } from '../subject.js';

const [N, BLOCK, VOCABULARY] = [9, 8, 65];
const x = Buffer.from(Uint16Array.from({ length: N * BLOCK }, (_, i) => (7 * i) % VOCABULARY).buffer);
const y = Buffer.from(
  Float32Array.from({ length: 2 * N }, (_, i) => (i % 2 === 0 ? (1 + (i % 7)) / 8 : (7 - ((i - 1) % 7)) / 8)).buffer,
);
const metadata = Buffer.from(
  formatRewardMetadata({
    numSamples: N,
    blockSize: BLOCK,
    tokenization: { method: 'char', vocabSize: VOCABULARY, metaPath: 'data/meta.pkl' },
    provenance: { seed: 1, temperature: 0.8, train_split: 0.9, base_model_sha256: 'abc' },
  }),
);
/** As the specification's own writer left it before tokenization could be chosen. */
const old = Buffer.from(metadata.toString().split('\n').slice(0, 6).join('\n'));
const files = { 'train_x.bin': x, 'train_y.bin': y, 'train_metadata.txt': metadata };

const many = (line: (i: number) => string, count: number): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');
const withLines = (lines: string): Buffer => Buffer.from(`${metadata.toString()}${lines}\n`);
const replaced = (from: string, to: string): Buffer => Buffer.from(metadata.toString().replaceAll(from, to));

function subject(
  name: string,
  samples: readonly Sample[],
  rest: Pick<Subject, 'bombs' | 'burdens' | 'words'>,
  part: keyof typeof files,
): Subject {
  return {
    name,
    samples,
    ...rest,
    async read(bytes, _, folder) {
      for (const [file, content] of Object.entries(files)) {
        const own = file === part ? bytes : content;
        writeFileSync(join(folder, file), own);
        writeFileSync(join(folder, file.replace('train', 'val')), content);
      }
      const dataset = openRewardDataset(folder, 'train');
      try {
        const { numSamples, blockSize, tokenization } = dataset;
        const digest = createHash('sha256')
          .update(dataset.x(0, numSamples))
          .update(dataset.y(0, numSamples))
          .digest('hex');
        // It looks at both splits, and takes ten times as long.
        if (bytes.length % 16 === 0) await inspectRewardDataset(folder);
        return JSON.stringify([
          numSamples,
          blockSize,
          tokenization.method,
          tokenization.vocabSize,
          tokenization.metaPath ?? null,
          digest.slice(0, 16),
        ]);
      } finally {
        dataset.close();
      }
    },
    again(bytes) {
      const now = { ...files, [part]: bytes };
      const values = new Map(
        now['train_metadata.txt']
          .toString('utf8')
          .replace(/^\ufeff/, '')
          .split(/\r?\n/)
          .filter((line) => line.includes(':'))
          .map((line): [string, string] => [
            line.slice(0, line.indexOf(':')).trim(),
            line.slice(line.indexOf(':') + 1).trim(),
          ]),
      );
      const [numSamples, blockSize] = [Number(values.get('num_samples')), Number(values.get('block_size'))];
      if (now['train_x.bin'].length !== 2 * numSamples * blockSize || now['train_y.bin'].length !== 8 * numSamples)
        return null;
      const digest = createHash('sha256')
        .update(now['train_x.bin'])
        .update(now['train_y.bin'])
        .digest('hex')
        .slice(0, 16);
      const isOld = !values.has('tokenization_method') && !values.has('vocab_size');
      const method = isOld ? 'bpe' : values.get('tokenization_method');
      const vocabulary = isOld ? 50257 : Number(values.get('vocab_size'));
      return JSON.stringify([numSamples, blockSize, method, vocabulary, values.get('meta_path') ?? null, digest]);
    },
  };
}

export const rewardMetadata = subject(
  'reward-metadata',
  [
    { name: 'metadata.txt', bytes: metadata },
    { name: 'old.txt', bytes: old },
  ],
  {
    bombs: {
      'a megabyte of keys': () => withLines(many((i) => `key_${i}: ${i}`, 90_000)),
      'a line of a megabyte': () => withLines(`note: ${'x'.repeat(1_100_000)}`),
      'samples beyond counting': () => replaced(String(N), '9007199254740993'),
      'samples in scientific notation': () => replaced(`num_samples: ${N}`, 'num_samples: 9e0'),
      'negative samples': () => replaced(`num_samples: ${N}`, 'num_samples: -9'),
      'a block of 2^52': () => replaced(`: ${BLOCK}`, ': 4503599627370496'),
      'a vocabulary of nothing': () => replaced(`vocab_size: ${VOCABULARY}`, 'vocab_size: 0'),
      'a newer format': () => replaced('format_version: 1', 'format_version: 2'),
      'a method that is a prototype': () => replaced('tokenization_method: char', 'tokenization_method: __proto__'),
      'very long values': () => replaced('x_dtype: uint16', `x_dtype: ${'u'.repeat(500_000)}`),
      'a line without a key': () => withLines('x'.repeat(500_000)),
    },
    burdens: {
      'keys that are prototypes': () => withLines('__proto__: 1\nconstructor: 2\ntoString: 3'),
      'very many keys': () => withLines(many((i) => `key_${i}: ${i}`, 30_000)),
      'Windows line ends': () => replaced('\n', '\r\n'),
    },
    words: [
      'num_samples: ',
      'block_size: ',
      '(9, 8)',
      'bpe',
      'char',
      'None',
      '\n',
      ': ',
      '__proto__: ',
      '\u0000',
      'NaN',
      '-',
      '0x9',
    ],
  },
  'train_metadata.txt',
);

export const rewardTargets = subject(
  'reward-targets',
  [{ name: 'y.bin', bytes: y }],
  {
    bombs: {
      'targets that are no numbers': () => Buffer.alloc(8 * N, Buffer.from('0000c07f', 'hex')),
      'infinite targets': () => Buffer.alloc(8 * N, Buffer.from('0000807f', 'hex')),
      'targets that sum to 2': () => Buffer.alloc(8 * N, Buffer.from('0000803f', 'hex')),
      'negative targets': () => Buffer.alloc(8 * N, Buffer.from('00000040000080bf', 'hex')),
      'targets of another dataset': () => Buffer.alloc(8 * N + 8, Buffer.from('0000003f', 'hex')),
    },
    words: [Buffer.from('0000003f', 'hex'), Buffer.from('0000c07f', 'hex'), Buffer.from('00000080', 'hex')],
  },
  'train_y.bin',
);

export const rewardTokens = subject(
  'reward-tokens',
  [{ name: 'x.bin', bytes: x }],
  {
    bombs: {
      'ids beyond the vocabulary': () => Buffer.alloc(2 * N * BLOCK, 0xff),
      'tokens of another dataset': () => Buffer.alloc(2 * N * BLOCK + 2),
      nothing: () => Buffer.alloc(0),
    },
    words: [Buffer.from([0, 0]), Buffer.from([64, 0]), Buffer.from([65, 0])],
  },
  'train_x.bin',
);
