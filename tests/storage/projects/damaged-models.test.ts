// Archives, tokenizers and models with one damage each: read as they were, or refused with a sentence about it.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { initialWeights } from '../../../main/engine/model/model.js';
import { characterOfByte, createPretrainedTokenizer, END_OF_TEXT } from '../../../main/engine/tokenizer/index.js';
import { damaged as damagedFault } from '../../../main/formats/faults.js';
import { ggufOf } from '../../../main/formats/gguf/gguf-export.js';
import { encodeGguf, type TypedValue } from '../../../main/formats/gguf/gguf-write.js';
import { writeHuggingFaceModel } from '../../../main/formats/huggingface.js';
import { openSafetensors } from '../../../main/formats/safetensors.js';
import { learnedTokenizerJson } from '../../../main/formats/tokenizer/byte-level-json.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { openZip } from '../../../main/formats/zip.js';
import type { Json } from '../../../main/engine/types.js';
import { tokenizerFilesAt } from '../../../main/storage/datasets/tokenizer-files.js';
import { findForeignModel, loadForeignModel } from '../../../main/storage/projects/foreign-models.js';
import { UserError } from '../../../shared/errors.js';
import { zipOf } from '../../../tools/support/zip-of.js';
import { sourceOf } from '../../formats/gguf/places.js';
import { damage, damaged, damagedRuns, expectSentence, LONGEST } from '../../support/damage.js';
import { tinyLlama } from '../../support/engine.js';
import { temporaryFolder } from '../faults.js';

const folder = temporaryFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => path.join(folder, name);

const TEXT = 'the whale, 1851: é中😀\n  and more';
const word = fc.stringMatching(/^[a-zäé中]{2,9}$/);

const shape = fc.record({ n_layer: fc.integer({ min: 1, max: 3 }), vocab_size: fc.integer({ min: 5, max: 40 }) });
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;
const folderOf = (changes: Shape) => {
  const config = { ...tinyLlama, ...changes };
  const files = writeHuggingFaceModel(config, initialWeights(config, 3));
  return { config: files['config.json'], bytes: Buffer.concat([...files['model.safetensors']]) };
};
function modelAt(place: string) {
  const found = findForeignModel(at(place));
  if (!found) return null;
  const { config, weights } = loadForeignModel(found);
  return { config, weights };
}

interface Written {
  readonly bytes: Buffer;
  /** Bytes of the header, which is damaged; without it any. */
  readonly within?: number;
  readonly read: (bytes: Buffer) => unknown;
}
const parts = fc.uniqueArray(fc.record({ name: word, bytes: fc.string({ maxLength: 60 }), isStored: fc.boolean() }), {
  selector: ({ name }) => name,
  minLength: 1,
  maxLength: 5,
});
/** Tokens of all bytes, and merges of any two that are there. */
const vocabulary = fc.array(fc.tuple(fc.nat(255), fc.nat(255)), { minLength: 2, maxLength: 12 }).map((pairs) => {
  const tokens = [...characterOfByte];
  const merges: [string, string][] = [];
  for (const [one, other] of pairs) {
    const [left = '', right = ''] = [tokens.at(-1 - (one % 3)), tokens[97 + (other % 26)]];
    if (tokens.includes(left + right)) continue;
    merges.push([left, right]);
    tokens.push(left + right);
  }
  return Buffer.from(learnedTokenizerJson({ tokens: [...tokens, END_OF_TEXT], merges }));
});

const kinds: Readonly<Record<string, fc.Arbitrary<Written>>> = {
  'parts.zip': parts.map((all) => ({
    bytes: zipOf(all),
    read(bytes) {
      const inflate = (packed: Uint8Array, most: number) => inflateRawSync(packed, { maxOutputLength: most + 1 });
      const deflated = { maxBytes: 1 << 20, inflate };
      const zip = openZip(sourceOf(bytes), { damaged: (why) => damagedFault('parts.zip', why), deflated });
      for (const fault of zip.faults.values()) throw fault;
      return [...zip.entries].map(([name, entry]) => [name, String(Buffer.from(zip.read(entry)))]);
    },
  })),
  'tokenizer.json': vocabulary.map((json) => ({
    bytes: json,
    read(bytes) {
      fs.writeFileSync(at('tokenizer.json'), bytes);
      const files = tokenizerFilesAt(at('tokenizer.json'));
      const tokenizer = createPretrainedTokenizer(readTokenizerJson(files['tokenizer.json'], 'tokenizer.json'));
      return [...tokenizer.encode(TEXT)];
    },
  })),
  'model.safetensors': shape.map((changes) => {
    const { config, bytes } = folderOf(changes);
    return {
      bytes,
      within: 8 + Number(bytes.readBigUInt64LE()),
      read(changed) {
        fs.mkdirSync(at('hf'), { recursive: true });
        fs.writeFileSync(at('hf/config.json'), config);
        fs.writeFileSync(at('hf/model.safetensors'), changed);
        return modelAt('hf');
      },
    };
  }),
  'model.gguf': shape.map((changes) => {
    const { config, bytes } = folderOf(changes);
    const tokens = { type: 'strings', value: Array.from({ length: changes.vocab_size }, (_, i) => `t${i}`) } as const;
    const { metadata, tensors } = ggufOf(
      JSON.parse(config) as Readonly<Record<string, Json>>,
      openSafetensors(bytes),
      { size: changes.vocab_size, metadata: new Map<string, TypedValue>([['tokenizer.ggml.tokens', tokens]]) },
      { name: 'tiny', form: 'F16' },
    );
    const [head = Buffer.alloc(0), ...data] = encodeGguf(metadata, tensors);
    return {
      bytes: Buffer.concat([head, ...data]),
      // Not the padding before the weights (32 bytes at most), whose length is not written anywhere.
      within: head.length - 32,
      read(changed) {
        fs.writeFileSync(at('model.gguf'), changed);
        return modelAt('model.gguf');
      },
    };
  }),
};

it.each(Object.entries(kinds))(
  '%s with one damage',
  (name, written) => {
    fc.assert(
      fc.property(written, damage, ({ bytes, within, read }, one) => {
        const whole = read(bytes);
        expect(whole).not.toBeNull();
        const start = performance.now();
        try {
          const found = read(damaged(bytes, one, within));
          // Null is no model at all (its first bytes), which callers report.
          if (found !== null) expect(found).toEqual(whole);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          expectSentence(error, name);
        }
        expect(performance.now() - start).toBeLessThan(LONGEST);
      }),
      damagedRuns,
    );
  },
  damagedRuns.numRuns * LONGEST,
);
