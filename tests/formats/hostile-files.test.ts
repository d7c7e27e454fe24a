/**
 * Readers of foreign files meet random damage: each file is read, or refused with a UserError, and never makes a reader fail
 * otherwise. Damage of archives: tests/storage/projects/tar.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPretrainedTokenizer } from '../../main/engine/tokenizer/index.js';
import { encodeGguf, type TypedValue } from '../../main/formats/gguf/gguf-write.js';
import { openGguf } from '../../main/formats/gguf/gguf.js';
import { readMetaPickle, writeMetaPickle } from '../../main/formats/pickle/meta-pickle.js';
import { formatRewardMetadata, parseRewardMetadata } from '../../main/formats/reward-dataset.js';
import { decodeSafetensors, encodeSafetensors } from '../../main/formats/safetensors.js';
import { tokenizerOfSentencePiece, tokenizerOfVocabulary } from '../../main/formats/gguf/hugging-face-files.js';
import { readTokenizerJson } from '../../main/formats/tokenizer/tokenizer-json.js';
import { readTorchCheckpoint } from '../../main/formats/torch/torch-checkpoint.js';
import { UserError } from '../../shared/errors.js';
import { plainFault } from '../support/messages.js';
import { readForeign } from '../parity/foreign.js';
import { sourceOf } from './gguf/places.js';

const TEXT = 'The whale’s 1851 ship,   in 12 days.\n\n  aaaaaaaaaaaaaaaa! é中😀';

const tensors = Buffer.concat([
  ...encodeSafetensors({ 'h.0.weight': { shape: [2, 3], data: Float32Array.of(1, -0, 2.5, Infinity, 1e-45, 0.1) } }),
]);
const numbers = Float32Array.from({ length: 64 }, (_, i) => i / 7 - 3);
const gguf = Buffer.concat([
  ...encodeGguf(
    new Map<string, TypedValue>([
      ['general.architecture', { type: 'string', value: 'llama' }],
      ['tokenizer.ggml.tokens', { type: 'strings', value: ['<s>', 'é', ''] }],
      ['llama.block_count', { type: 'u32', value: 1 }],
    ]),
    [
      { name: 'token_embd.weight', shape: [2, 32], form: 'Q8_0', read: () => numbers },
      { name: 'blk.0.attn_q.weight', shape: [4, 16], form: 'F16', read: () => numbers },
    ],
  ),
]);
const tokenizer = Buffer.from(
  JSON.stringify({
    version: '1.0',
    added_tokens: [{ id: 3, content: '<|end|>', special: true }],
    normalizer: { type: 'NFC' },
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'], unk_token: null },
  }),
);

const encoded = (json: string) => createPretrainedTokenizer(readTokenizerJson(json, 'tokenizer.json')).encode(TEXT);
const besideVocabulary = {
  'merges.txt': readFileSync(new URL('tokenizer/fixtures/merges.txt', import.meta.url), 'utf8'),
  'config.json': '{"model_type": "gpt2"}',
};

const readers: Readonly<Record<string, readonly [Buffer, (bytes: Buffer) => unknown]>> = {
  safetensors: [tensors, (bytes) => decodeSafetensors(bytes)],
  GGUF: [
    gguf,
    (bytes) => {
      const file = openGguf(sourceOf(bytes));
      return [...file.tensors.keys()].map((name) => file.read(name));
    },
  ],
  'quantised GGUF': [
    readFileSync(new URL('gguf/fixtures/forms.gguf', import.meta.url)),
    (bytes) => {
      const file = openGguf(sourceOf(bytes));
      return [...file.tensors.keys()].map((name) => file.read(name));
    },
  ],
  'PyTorch checkpoint': [
    Buffer.from(readForeign('half.pt')),
    (bytes) => readTorchCheckpoint(sourceOf(bytes), 'half.pt'),
  ],
  'meta.pkl': [Buffer.from(writeMetaPickle(['\n', 'a', 'b', '\u{1f600}'])), readMetaPickle],
  'reward data': [
    Buffer.from(formatRewardMetadata({ numSamples: 5, blockSize: 8, tokenization: { method: 'char', vocabSize: 65 } })),
    (bytes) => parseRewardMetadata(bytes.toString(), 'train_metadata.txt'),
  ],
  'tokenizer.json': [tokenizer, (bytes) => encoded(bytes.toString())],
  'tokenizer.model': [
    readFileSync(new URL('tokenizer/fixtures/tokenizer.model', import.meta.url)),
    (bytes) => encoded(tokenizerOfSentencePiece(bytes, {}, 'tokenizer.model')),
  ],
  'vocab.json': [
    readFileSync(new URL('tokenizer/fixtures/vocab.json', import.meta.url)),
    (bytes) => encoded(tokenizerOfVocabulary({ ...besideVocabulary, 'vocab.json': bytes.toString() }, 'vocab.json')),
  ],
};

/** Numbers at which counts, lengths and signs change their meaning. */
const limits = [0n, 1n, 127n, 255n, 65535n, 1n << 31n, (1n << 32n) - 1n, 1n << 53n, 1n << 63n, (1n << 64n) - 1n];

const pieces = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(fc.constantFrom(...limits), fc.constantFrom(1, 2, 4, 8)).map(([value, size]) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    return bytes.subarray(0, size);
  }),
  fc.constantFrom(...limits).map((value) => Buffer.from(String(value))),
);

/** Overwrites, inserts or removes bytes at a place, or swaps a part of the file for another. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  // Headers are where damage means something.
  isInHeader: fc.boolean(),
  removed: fc.oneof(fc.constant(0), fc.nat(8), fc.nat(300)),
  piece: fc.option(pieces, { nil: Buffer.alloc(0) }),
  isOverwritten: fc.boolean(),
});

function applyChange(
  bytes: Buffer,
  { at, isInHeader, removed, piece, isOverwritten }: typeof change extends fc.Arbitrary<infer T> ? T : never,
): Buffer {
  const from = Math.floor(at * Math.min(bytes.length, isInHeader ? 512 : Infinity));
  return Buffer.concat([
    bytes.subarray(0, from),
    piece,
    bytes.subarray(from + (isOverwritten ? piece.length : removed)),
  ]);
}

it.each(Object.entries(readers))('%s: damage is refused with a UserError', (_, [file, read]) => {
  expect(() => read(file)).not.toThrow();
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      try {
        read(changes.reduce(applyChange, file));
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
      }
    }),
    { numRuns: 400 },
  );
});

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Every place in a JSON value, as a path. */
const placesIn = (value: Json, path: readonly string[] = []): readonly (readonly string[])[] => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value as Readonly<Record<string, Json>>).flatMap(([key, inner]) => placesIn(inner, [...path, key]))
    : []),
];
function replaced(value: Json, [key, ...rest]: readonly string[], by: Json | undefined): Json | undefined {
  if (key === undefined) return by;
  const inner = value as Readonly<Record<string, Json>>;
  const changed = { ...inner, [key]: replaced(inner[key] ?? null, rest, by) } as { [key: string]: Json };
  return Array.isArray(value)
    ? Object.values(changed).filter((one) => (one as Json | undefined) !== undefined)
    : changed;
}

const length = Number(tensors.readBigUInt64LE());
const values: Readonly<Record<string, readonly [Json, (json: string) => unknown]>> = {
  'tokenizer.json': [JSON.parse(String(tokenizer)) as Json, encoded],
  'the header of safetensors': [
    JSON.parse(String(tensors.subarray(8, 8 + length))) as Json,
    (json) => {
      const size = Buffer.alloc(8);
      size.writeBigUInt64LE(BigInt(Buffer.byteLength(json)));
      return decodeSafetensors(
        Buffer.concat([size, Buffer.from(json), tensors.subarray(8 + length)]),
        'tokenizer.json',
      );
    },
  ],
};

it.each(Object.entries(values))('%s with one wrong value is read, or refused by what is wrong', (_, [whole, read]) => {
  const wrong = fc.constantFrom<Json | undefined>(
    undefined,
    null,
    -1,
    1.5,
    1e300,
    '',
    'x',
    [],
    {},
    [{}],
    { x: 1 },
    true,
  );
  fc.assert(
    fc.property(fc.constantFrom(...placesIn(whole)), wrong, (place, by) => {
      try {
        read(JSON.stringify(replaced(whole, place, by)) ?? '');
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        const { message, hint } = plainFault(error.toFault());
        // The file, and what is wrong in it; never a validator's or a parser's own words.
        expect(message).toMatch(/tokenizer\.json.{8}/);
        expect(`${message} ${hint}`).not.toMatch(
          /undefined|\[object|Expected|expected (?:string|number|object)|at JSON/,
        );
      }
    }),
    { numRuns: 300 },
  );
});
