// Tokens decoded in their place: together they are the text, wherever a prompt ends and its continuation starts.
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createCharTokenizer,
  createPretrainedTokenizer,
  decodeContinued,
  decodeInPlace,
  loadBpeTokenizer,
  type Tokenizer,
  tokenTexts,
} from '../../../main/engine/tokenizer/index.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';

const kinds = JSON.parse(readFileSync(new URL('pretrained-cases.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, { readonly tokenizer: object }>
>;
const pretrained = Object.entries(kinds).map(([name, { tokenizer }]): [string, Tokenizer] => [
  name,
  createPretrainedTokenizer(readTokenizerJson(JSON.stringify(tokenizer), 'tokenizer.json')),
]);
const characters = [...'abc \n我喜😀'];
const parts = fc.constantFrom(
  'Once upon',
  ' a',
  ' ',
  '  ',
  '\n',
  'the whale',
  '我喜欢',
  '😀😀',
  'é',
  'क्षि',
  '\ufeff',
  'שלום',
  '▁',
);
const texts = fc.oneof(
  fc.array(parts, { maxLength: 12 }).map((some) => some.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

describe.each<[string, Tokenizer]>([
  ['char', createCharTokenizer(characters)],
  ['bpe', await loadBpeTokenizer()],
  ...pretrained,
])('%s', (name, tokenizer) => {
  const given = name === 'char' ? fc.array(fc.constantFrom(...characters)).map((some) => some.join('')) : texts;
  const ids = given.map((text) => tokenizer.encode(text));

  it('gives the text of all ids, token by token', () => {
    fc.assert(
      fc.property(ids, (all) => {
        expect(tokenTexts(tokenizer, all).join('')).toBe(tokenizer.decode(all));
      }),
    );
  });

  it('continues a prompt of any ids by any ids', () => {
    const any = fc.array(fc.nat(tokenizer.vocabSize), { maxLength: 20 }).map((some) => Uint32Array.from(some));
    fc.assert(
      fc.property(fc.oneof(ids, any), fc.oneof(ids, any), (prompt, more) => {
        const all = Uint32Array.of(...prompt, ...more);
        const continued = decodeContinued(tokenizer, all, prompt.length);
        expect(continued.prompt + continued.completion).toBe(tokenizer.decode(all));
      }),
    );
  });

  it('leaves the text of a prompt as it is', () => {
    fc.assert(
      fc.property(ids, ids, (prompt, more) => {
        const [first] = decodeInPlace(tokenizer, [prompt, more]);
        expect(first).toBe(tokenizer.decode(prompt));
      }),
    );
  });
});

it('strips the blank of a Llama tokenizer at the start only', () => {
  const llama = new Map(pretrained).get('llama2');
  if (!llama) throw new Error('no such case');
  const ids = llama.encode('the whale ship');
  const joined = Uint32Array.of(...ids, ...llama.encode('day'));
  expect(decodeContinued(llama, joined, ids.length)).toEqual({ prompt: 'the whale ship', completion: ' day' });
});
