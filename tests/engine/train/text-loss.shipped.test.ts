/** Losses by character and byte: the definition, token lengths of every tokenizer, and that tokenizers can be compared. */
import { describe, expect, it } from 'vitest';
import {
  createCharTokenizer,
  createPretrainedTokenizer,
  loadBpeTokenizer,
  type Tokenizer,
} from '../../../main/engine/tokenizer/index.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { sampleOf } from '../../../main/engine/statistics/held-out-change.js';
import { perplexity } from '../../../main/engine/train/perplexity.js';
import { textLength, textLoss } from '../../../main/engine/train/text-loss.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { testEnvironment, tinyLlama, tinyModel, tinyModern } from '../../support/engine.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { heldOutWindow, type GPTConfig } from '../../../shared/config/model.js';

const text = 'Ça va? Straße, 日本 😀 and more: naïve café — “quoted” text.\nA second line, 𝔘nicode.';
const characters = [...text].length;
const bytes = Buffer.byteLength(text);

/** A vocabulary of single bytes, as SentencePiece falls back to them, and of a few characters. */
const sentencePiece = () => {
  const pieces = [
    '<unk>',
    ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  ];
  const vocab = Object.fromEntries([...pieces, '▁', 'a', 'n', 'd', '▁a', 'nd', '▁and'].map((piece, id) => [piece, id]));
  return createPretrainedTokenizer(
    readTokenizerJson(
      JSON.stringify({
        added_tokens: [{ id: 0, content: '<unk>', special: true }],
        normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        pre_tokenizer: null,
        decoder: null,
        post_processor: null,
        model: {
          type: 'BPE',
          unk_token: '<unk>',
          byte_fallback: true,
          vocab,
          merges: ['▁ a', 'n d', '▁a nd'],
        },
      }),
      'tokenizer.json',
    ),
  );
};

const tokenizers: readonly (readonly [string, () => Tokenizer | Promise<Tokenizer>])[] = [
  ['char', () => createCharTokenizer([...new Set(text)].sort())],
  ['bpe', loadBpeTokenizer],
  ['pretrained', sentencePiece],
];

describe.each(tokenizers)('%s', (_name, load) => {
  it('counts every character and byte of a text, whatever its tokens cut', async () => {
    const tokenizer = await load();
    const ids = tokenizer.encode(text);
    expect(tokenizer.decode(ids)).toBe(text);
    expect(textLength(tokenizer.lengths(), ids)).toEqual({ characters, bytes });
  });

  it('counts the text of exactly the tokens that were predicted: all but the first', async () => {
    const tokenizer = await load();
    const ids = tokenizer.encode(text);
    const model = { ...tinyModel, vocab_size: tokenizer.vocabSize };
    const measured = await perplexity({
      model,
      weights: initialWeights(model, 1),
      tokens: tokensInMemory(ids),
      vocabulary: tokenizer,
      phase: 'evaluation',
      env: await testEnvironment(),
    });
    const rest = textLength(tokenizer.lengths(), ids.subarray(1));
    const first = textLength(tokenizer.lengths(), ids.subarray(0, 1));
    expect((rest?.bytes ?? 0) + (first?.bytes ?? 0)).toBe(bytes);
    const nats = measured.loss * measured.tokens;
    expect(measured.tokens).toBe(ids.length - 1);
    expect(measured.nats_per_character).toBeCloseTo(nats / (rest?.characters ?? NaN), 10);
    expect(measured.bits_per_byte).toBeCloseTo(nats / Math.LN2 / (rest?.bytes ?? NaN), 10);
    expect(measured.perplexity).toBe(Math.exp(measured.loss));
  });
});

it('of a uniform guess over bytes, a byte takes eight bits', () => {
  const nats = 100 * Math.log(256);
  expect(textLoss(nats, 100, { characters: 80, bytes: 100 })).toEqual({
    loss: Math.log(256),
    perplexity: expect.closeTo(256, 9) as number,
    nats_per_character: nats / 80,
    bits_per_byte: expect.closeTo(8, 12) as number,
  });
});

it('says nothing by character where no tokenizer is known', async () => {
  expect(textLoss(10, 5, textLength(null, [1, 2, 3]))).toEqual({ loss: 2, perplexity: Math.exp(2) });
  const measured = await perplexity({
    model: tinyModel,
    weights: initialWeights(tinyModel, 1),
    tokens: tokensInMemory(Array.from({ length: 100 }, (_, i) => i % tinyModel.vocab_size)),
    phase: 'evaluation',
    env: await testEnvironment(),
  });
  expect(measured).not.toHaveProperty('nats_per_character');
  expect(measured).not.toHaveProperty('bits_per_byte');
});

it.each([2, 7, tinyModel.block_size])('a text of %i tokens, at most one block, is measured too', async (length) => {
  const tokens = tokensInMemory(Array.from({ length }, (_, i) => i % tinyModel.vocab_size));
  const env = await testEnvironment();
  const measure = { model: tinyModel, weights: initialWeights(tinyModel, 1), phase: 'evaluation', env } as const;
  expect((await perplexity({ ...measure, tokens })).tokens).toBe(length - 1);
  await expect(perplexity({ ...measure, tokens: tokensInMemory([1]) })).rejects.toMatchObject({
    code: 'text_too_short',
  });
});

describe('the window in which held-out text is read', () => {
  const tokens = tokensInMemory(Array.from({ length: 100 }, (_, i) => (i * i) % tinyModel.vocab_size));
  const read = async (model: GPTConfig) => {
    const { loss, tokens: count } = await perplexity({
      model,
      weights: initialWeights(model, 1),
      tokens,
      phase: 'evaluation',
      env: await testEnvironment(),
    });
    return { loss, count };
  };
  const short = { ...tinyLlama, block_size: 8 };

  it('is one of its own where the positions reach as far: what a model of that context says', async () => {
    const long = await read({ ...short, eval_block_size: 32 });
    expect(long).toEqual(await read({ ...short, block_size: 32 }));
    expect(long.count).toBe(99);
    expect(long.loss).not.toBe((await read(short)).loss);
  });

  it('reaches as far as the positions, and is never shorter than the context', async () => {
    const windows = [
      { ...short, eval_block_size: 4096 },
      { ...short, eval_block_size: 4 },
      { ...tinyModel, eval_block_size: 4096 },
      { ...tinyModern, eval_block_size: 4096 },
    ].map(heldOutWindow);
    expect(windows).toEqual([64, 8, tinyModel.block_size, tinyModern.block_size]);
    // A held-out text shorter than the window, but not than the context, is read all the same.
    expect(await read({ ...short, eval_block_size: 64 })).toMatchObject({ count: 99 });
  });
});

describe('a long held-out text', () => {
  const model = { ...tinyModel, block_size: 512 };
  const measure = async (length: number) => {
    const reads: number[] = [];
    const source = {
      length,
      read(position: number, count: number) {
        reads.push(position);
        return Uint16Array.from({ length: count }, (_, at) => (position + at) % model.vocab_size);
      },
    };
    const weights = initialWeights(model, 1);
    const found = await perplexity({
      model,
      weights,
      tokens: source,
      phase: 'evaluation',
      env: await testEnvironment(),
    });
    return { ...found, reads };
  };

  it('costs no more than one of 200,000 tokens, read in places spread evenly over it, the same every time', async () => {
    const [long, again, short] = [await measure(20_000_001), await measure(20_000_001), await measure(150_001)];
    expect(long.tokens).toBe(391 * 512);
    expect(long.reads[1]).toBe(Math.floor(39_063 / 391) * 512);
    expect(long.reads.at(-1)).toBeGreaterThan(19_900_000);
    expect(again.reads).toEqual(long.reads);
    expect(again.loss).toBe(long.loss);
    expect(short.tokens).toBe(150_000);
    expect(sampleOf(short.parts, 150_001)).toEqual({});
    const { held_out_sample: sample } = sampleOf(long.parts, 20_000_001);
    expect(sample).toMatchObject({ tokens: 200_192, of: 20_000_000 });
    expect(sample?.interval?.low).toBeLessThanOrEqual(long.loss + 1e-6);
    expect(sample?.interval?.high).toBeGreaterThanOrEqual(long.loss - 1e-6);
  });
});
