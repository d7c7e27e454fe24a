// Tokenizers of older folders, and which tokenizer is GPT-2's own. Ids of SentencePiece's and of GPT-2's class were made by
// Python's sentencepiece 0.2 and tokenizers 0.22 from the same files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { gpt2Vocabulary } from '../../../main/engine/tokenizer/bpe.js';
import { createPretrainedTokenizer } from '../../../main/engine/tokenizer/index.js';
import { gpt2TokenizerJson } from '../../../main/formats/tokenizer/byte-level-json.js';
import {
  GPT2_HASH,
  hashOfTokens,
  isGpt2,
  tokenizerOfSentencePiece,
  tokenizerOfVocabulary,
  withinRows,
} from '../../../main/formats/gguf/hugging-face-files.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { faultOf } from '../../storage/fault-of.js';

const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n';

it('knows the tokens of GPT-2, and takes no others for them', async () => {
  const vocabulary = await gpt2Vocabulary();
  expect(hashOfTokens(vocabulary.tokens)).toBe(GPT2_HASH);
  expect(isGpt2(gpt2TokenizerJson(vocabulary))).toBe(true);
  const [first = '', second = '', ...rest] = vocabulary.tokens;
  expect(isGpt2(gpt2TokenizerJson({ ...vocabulary, tokens: [second, first, ...rest] }))).toBe(false);
  expect(isGpt2(gpt2TokenizerJson({ ...vocabulary, tokens: vocabulary.tokens.slice(0, 50000) }))).toBe(false);
});

const folder = fileURLToPath(new URL('fixtures/', import.meta.url));
const bytes = (name: string): Buffer => readFileSync(join(folder, name));
const text = (name: string): string => bytes(name).toString('utf8');
const ids = JSON.parse(text('ids.json')) as Readonly<Record<string, readonly (readonly [string, readonly number[]])[]>>;
const vocabulary = (files: Readonly<Record<string, string>>): string =>
  tokenizerOfVocabulary({ 'vocab.json': text('vocab.json'), 'merges.txt': text('merges.txt'), ...files }, 'the folder');
const piecesWith = (files: Readonly<Record<string, string>>): string =>
  tokenizerOfSentencePiece(bytes('tokenizer.model'), files, 'the folder');
const encoder = (json: string) => createPretrainedTokenizer(readTokenizerJson(json, 'tokenizer.json'));

it.each([
  ['tokenizer.model', () => piecesWith({})],
  ['vocab.json', () => vocabulary({ 'config.json': '{"model_type": "gpt2"}' })],
  ['vocab.json', () => vocabulary({ 'tokenizer_config.json': '{"tokenizer_class": "GPT2TokenizerFast"}' })],
])('reads %s with the ids of Python', (name, json) => {
  const tokenizer = encoder(json());
  for (const [probe, expected] of ids[name] ?? []) {
    expect([...tokenizer.encode(probe)], probe).toEqual(expected);
    expect(tokenizer.decode(Uint32Array.from(expected))).toBe(probe);
  }
});

it('adds the tokens that other files name', () => {
  const added = { 'added_tokens.json': '{"<|im_end|>": 402}' };
  const tokenizer = encoder(piecesWith(added));
  expect([...tokenizer.encode('x<|im_end|>')].at(-1)).toBe(402);
  expect(tokenizer.special).toContain(402);
  const config = '{"model_type":"qwen2","added_tokens_decoder":{"330":{"content":"<tool>","special":false}}}';
  const files = { 'config.json': config, 'tokenizer_config.json': config };
  const qwen = encoder(vocabulary(files));
  expect([...qwen.encode('<tool>12')]).toEqual([330, 17, 18]);
  expect(qwen.special).toEqual([0]);
});

it.each([
  [330, 330, 0],
  [329, 329, 1],
  [326, 326, 4],
  // Another model's.
  [300, 330, 0],
])('with %i rows has %i tokens: %i are left out', (rows, tokens, left) => {
  const whole = vocabulary({ 'config.json': '{"model_type": "gpt2"}' });
  const cut = withinRows(whole, rows);
  expect(cut.left).toBe(left);
  expect(encoder(cut.json).vocabSize).toBe(tokens);
  const probe = 'The white whale, 1851.';
  expect(encoder(cut.json).decode(encoder(cut.json).encode(probe))).toBe(probe);
});

it.each([
  [
    'a class that is not known',
    () => vocabulary({ 'config.json': '{"model_type": "llama"}' }),
    /do not say how "llama"/,
  ],
  ['no merges', () => tokenizerOfVocabulary({ 'vocab.json': '{"a":1}' }, 'x'), /merges\.txt is missing/],
  ['a pointer', () => tokenizerOfSentencePiece(Buffer.from(LFS), {}, 'x'), /is a Git LFS pointer/],
  ['a page', () => tokenizerOfVocabulary({ 'vocab.json': '<!doctype html>', 'merges.txt': '' }, 'x'), /is a web page/],
  ['the first half', () => tokenizerOfSentencePiece(bytes('tokenizer.model').subarray(0, 3000), {}, 'x'), /cut short/],
  // The first piece alone, without the settings that name byte pairs.
  ['Unigram', () => tokenizerOfSentencePiece(bytes('tokenizer.model').subarray(0, 16), {}, 'x'), /"Unigram", not/],
  ['nothing', () => tokenizerOfSentencePiece(new Uint8Array(0), {}, 'x'), /no vocabulary/],
])('refuses %s by name', (_, read, message) => {
  expect(faultOf(read).message).toMatch(message);
});
