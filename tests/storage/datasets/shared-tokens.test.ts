/** A part of a vocabulary: a small writer's tokens are its pretrained critic's own, and no text is lost by there being fewer. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { sampleModelPath, sampleTextPath } from '../../../main/installation/locations.mjs';
import { rowsOf } from '../../../main/engine/model/named-arrays.js';
import type { Tokenizer } from '../../../main/engine/tokenizer/index.js';
import { subsetOf } from '../../../main/engine/tokenizer/learned/subset.js';
import { placesIn, shareTokens } from '../../../main/storage/datasets/shared-tokens.js';
import { learnTokenizer, TOKENIZER } from '../../../main/storage/datasets/tokenizer-files.js';
import { temporaryFolder } from '../faults.js';

const words = ['the', ' the', ' whale', ' whales', ' sea', ' ship', ' shipped', ' and', ' under', ' understand', '\n'];
const text = Array.from({ length: 400 }, (_, i) => words[(i * i + 3 * i) % words.length]).join('');
const root = temporaryFolder();
let file: string;
let whole: Tokenizer;

beforeAll(async () => {
  const learned = await learnTokenizer(new Map(words.map((word, i) => [word, 5 + i])), 300);
  whole = learned.tokenizer;
  file = join(root, TOKENIZER);
  writeFileSync(file, learned.files[TOKENIZER]);
});

const cut = async (size: number) => {
  const shared = await shareTokens(file);
  shared.add(text.slice(0, 1000));
  shared.add(text.slice(1000));
  const { tokenizer, files } = await shared.finish(size);
  const own = join(root, `${size}.json`);
  writeFileSync(own, files[TOKENIZER]);
  return { ...placesIn(file, own), tokenizer };
};

it('cuts every text with fewer tokens, each of them one of the whole vocabulary', async () => {
  const { places, tokenizer } = await cut(270);
  expect(tokenizer.vocabSize).toBeLessThanOrEqual(270);
  expect(tokenizer.vocabSize).toBeGreaterThan(257);
  const mixed = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme' })), { maxLength: 30 });
  fc.assert(
    fc.property(mixed, (parts) => {
      const given = parts.join('');
      const ids = tokenizer.encode(given);
      expect(tokenizer.decode(ids)).toBe(given);
      expect(whole.decode(Array.from(ids, (id) => places[id] ?? -1))).toBe(given);
    }),
    { numRuns: 100 },
  );
});

it('cuts a text as the whole vocabulary does where there is room for all that it uses', async () => {
  const { places, tokenizer } = await cut(1000);
  const ids = Array.from(tokenizer.encode(text), (id) => places[id]);
  expect(ids).toEqual(Array.from(whole.encode(text)));
});

it('takes SmolLM2’s tokens, though they lack bytes that hardly any text has', async () => {
  const shared = await shareTokens(sampleModelPath());
  const book = readFileSync(sampleTextPath(), 'utf8').slice(0, 60_000);
  shared.add(book);
  const { tokenizer, files } = await shared.finish(1536);
  const own = join(root, 'smollm2.json');
  writeFileSync(own, files[TOKENIZER]);
  expect(tokenizer.vocabSize).toBeGreaterThan(1000);
  const ids = tokenizer.encode(book);
  expect(tokenizer.decode(ids)).toBe(book);
  expect(book.length / ids.length).toBeGreaterThan(2.5);
  expect(new Set(placesIn(sampleModelPath(), own).places).size).toBe(tokenizer.vocabSize);
});

it('refuses a vocabulary that lacks bytes, and takes the rows of a matrix by their tokens', () => {
  expect(() => subsetOf({ tokens: ['a', 'b'], merges: [] }, new Map(), 1)).toThrow(RangeError);
  const matrix = { shape: [3, 2], data: Float32Array.of(0, 1, 10, 11, 20, 21) };
  expect(rowsOf(matrix, [2, 0])).toEqual({ shape: [2, 2], data: Float32Array.of(20, 21, 0, 1) });
});

it('says what cannot be shared: too few tokens for the bytes, tokens that are not of bytes, and others than the model’s', async () => {
  await expect(cut(256)).rejects.toMatchObject({ code: 'bad_input', field: 'vocab' });
  const json = JSON.parse(readFileSync(file, 'utf8')) as { model: { vocab: Record<string, number> } };
  const { Ċ: line, ...lacking } = json.model.vocab;
  const wordy = join(root, 'wordy.json');
  writeFileSync(
    wordy,
    JSON.stringify({ ...json, model: { ...json.model, vocab: { ...lacking, xyz: line }, merges: [] } }),
  );
  await expect(shareTokens(wordy)).rejects.toMatchObject({ code: 'checkpoint', field: 'critic_from' });
  expect(placesIn(file, wordy).missing).toBe('xyz');
  await expect(shareTokens(join(root, 'none'))).rejects.toMatchObject({ code: 'file_not_found', field: 'critic_from' });
});
