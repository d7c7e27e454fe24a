// Where a blind passage passes from its author to the model: between two words of any script, with any tokenizer.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { boundaryPassages, pairPassages } from '../../../main/engine/cycle/rating-passages.js';
import { sentenceBeginnings } from '../../../main/engine/generate/samples.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import {
  createCharTokenizer,
  createPretrainedTokenizer,
  loadBpeTokenizer,
  type Tokenizer,
} from '../../../main/engine/tokenizer/index.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { usualReading } from '../../../shared/config/generation.js';
import { testEnvironment, tinyModel } from '../../support/engine.js';

const kinds = JSON.parse(
  readFileSync(new URL('../tokenizer/pretrained-cases.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly tokenizer: object }>>;
const pretrained = (name: string) =>
  createPretrainedTokenizer(readTokenizerJson(JSON.stringify(kinds[name]?.tokenizer), 'tokenizer.json'));
/** Words one after the other, each ended by `mark`: the only places where a word starts. An excerpt may begin within one. */
const textOf = (words: readonly string[], mark: string) =>
  Array.from({ length: 400 }, (_, at) => `${words[(at * at + (at >> 3)) % words.length] ?? ''}${mark}`).join('');
const chinese = textOf(['大海', '月亮', '船长', '我', '喜欢'], '，');
const english = textOf(['Whales', 'and', 'the', 'captain', 'loomings'], ' ');

it.each<[string, Tokenizer, string, RegExp]>([
  ['Chinese by characters', createCharTokenizer([...new Set(chinese)]), chinese, /，$/u],
  ['Chinese of several tokens a character', await loadBpeTokenizer(), chinese, /，$/u],
  ['Chinese by the bytes of a Llama', pretrained('llama2'), chinese, /，$/u],
  ['Japanese by the bytes of a Qwen', pretrained('qwen'), textOf(['海', 'クジラ', '船'], '、'), /、$|^[^、]+$/u],
  ['Thai', pretrained('gpt2'), textOf(['ทะเล', 'สงบ'], ' '), /[ ลบ]$/u],
  [
    'blanks before the words of a Llama',
    pretrained('llama2'),
    english,
    /\b(Whales|and|the|captain|loomings) ?$|^\w+ ?$/u,
  ],
  [
    'blanks before the words of a GPT-2',
    pretrained('gpt2'),
    english,
    /\b(Whales|and|the|captain|loomings) ?$|^\w+ ?$/u,
  ],
])('%s', async (_, vocabulary, text, ending) => {
  const model = { ...tinyModel, block_size: 32, vocab_size: vocabulary.vocabSize };
  const passages = await boundaryPassages(
    { model, weights: initialWeights(model, 1) },
    {
      ...{ vocabulary, tokens: tokensInMemory(Array.from(vocabulary.encode(text))), method: vocabulary.method },
      ...{ blockSize: 32, generation: usualReading, from: 0, count: 16, source: 1, seed: 3 },
      env: await testEnvironment(),
    },
  );
  const prompts = passages.map(({ prompt }) => prompt);
  expect(prompts.filter((prompt) => !ending.test(prompt) || prompt.includes('\ufffd'))).toEqual([]);
  expect(prompts.filter((prompt) => !text.includes(prompt))).toEqual([]);
  expect(new Set(prompts.map(({ length }) => length)).size).toBeGreaterThan(2);
});

it.each<[string, Tokenizer]>([
  ['several tokens a character', await loadBpeTokenizer()],
  ['the bytes of a Llama', pretrained('llama2')],
  ['the bytes of a Qwen', pretrained('qwen')],
])('pairs and samples of %s begin after a whole character', async (_, vocabulary) => {
  const text = textOf(['海豚', '鯨魚', '龍😀'], '。');
  const tokens = tokensInMemory(Array.from(vocabulary.encode(text)));
  const options = {
    ...{ vocabulary, tokens, method: vocabulary.method, blockSize: 32 },
    ...{ generation: usualReading, from: 0, count: 16, source: 1, seed: 3, env: await testEnvironment() },
  };
  const natural = await pairPassages(null, options);
  for (const { prompt, text: own } of natural) {
    expect(text).toContain(prompt + own);
    expect(prompt + own).not.toContain('\ufffd');
  }
  const model = { ...tinyModel, block_size: 32, vocab_size: vocabulary.vocabSize };
  const written = await pairPassages({ model, weights: initialWeights(model, 1) }, options);
  expect(written.map(({ prompt }) => prompt)).toEqual(natural.map(({ prompt }) => prompt));
  const openings = sentenceBeginnings(tokens, vocabulary, 8, 15).map(({ ids }) => vocabulary.decode(ids));
  expect(openings.filter((opening) => opening.includes('\ufffd'))).toEqual([]);
});
