/** A part of a vocabulary: a small writer's tokens are the pretrained critic's own, and no text is lost by there being fewer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { createPretrainedTokenizer, type PretrainedTokenizer } from '../../../main/engine/tokenizer/index.js';
import { learnTokenizer, TOKENIZER } from '../../../main/storage/datasets/tokenizer-files.js';
import { cutDown } from '../../../tools/study/pieces/index.js';
import { rowsOf, subsetOf } from '../../../tools/study/pieces/subset.js';
import { temporaryFolder } from '../../storage/faults.js';

const words = ['the', ' the', ' whale', ' whales', ' sea', ' ship', ' shipped', ' and', ' under', ' understand', '\n'];
const text = Array.from({ length: 400 }, (_, i) => words[(i * i + 3 * i) % words.length]).join('');
const root = temporaryFolder();
let file: string;
let whole: PretrainedTokenizer;

beforeAll(async () => {
  const learned = await learnTokenizer(new Map(words.map((word, i) => [word, 5 + i])), 300);
  whole = learned.tokenizer;
  file = join(root, TOKENIZER);
  writeFileSync(file, learned.files[TOKENIZER]);
});

const cut = async (size: number) => {
  const { json, subset } = await cutDown(file, text, size);
  return { subset, tokenizer: createPretrainedTokenizer(readTokenizerJson(json, 'cut down')) };
};

it('cuts every text with fewer tokens, each of them one of the whole vocabulary', async () => {
  const { subset, tokenizer } = await cut(270);
  expect(tokenizer.vocabSize).toBeLessThanOrEqual(270);
  expect(tokenizer.vocabSize).toBeGreaterThan(257);
  const mixed = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme' })), { maxLength: 30 });
  fc.assert(
    fc.property(mixed, (parts) => {
      const given = parts.join('');
      const ids = tokenizer.encode(given);
      expect(tokenizer.decode(ids)).toBe(given);
      expect(whole.decode(Array.from(ids, (id) => subset.wholeIds[id] ?? -1))).toBe(given);
    }),
    { numRuns: 100 },
  );
});

it('cuts a text as the whole vocabulary does where there is room for all that it uses', async () => {
  const { subset, tokenizer } = await cut(1000);
  const ids = Array.from(tokenizer.encode(text), (id) => subset.wholeIds[id]);
  expect(ids).toEqual(Array.from(whole.encode(text)));
});

it('refuses a vocabulary that lacks bytes, and takes the rows of a matrix by their tokens', () => {
  expect(() => subsetOf({ tokens: ['a', 'b'], merges: [] }, new Map(), 1)).toThrow(RangeError);
  expect(Array.from(rowsOf(Float32Array.of(0, 1, 10, 11, 20, 21), 2, [2, 0]))).toEqual([20, 21, 0, 1]);
});
