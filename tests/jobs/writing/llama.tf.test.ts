// llama.cpp writes what the engine writes: a small model with byte-level tokens of its own, once with llama.cpp and once without.
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { GPTConfig } from '../../../shared/config/model.js';
import { plainEnglish } from '../../../shared/messages/surfaces.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { completeText } from '../../../main/jobs/commands/complete-text.js';
import { inspect } from '../../../main/jobs/commands/inspect.js';
import { continueText } from '../../../main/jobs/commands/continue-text.js';
import { continueWith, encodeBefore, loadedModel, promptOf } from '../../../main/jobs/writing/loaded-writer.js';
import { learnTokenizer } from '../../../main/storage/datasets/tokenizer-files.js';
import { loadModel, type Model, saveModel } from '../../../main/storage/projects/models.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';
import { tinyLlama, tinyModel, tinyModern } from '../../support/engine.js';
import { temporaryFolder, testContext } from '../context.js';

const folder = temporaryFolder();
const paths = projectPaths(folder);
const tokenizerPath = join(folder, 'tokenizer.json');
const VOCABULARY = 300;
const base: GPTConfig = { ...tinyLlama, vocab_size: VOCABULARY + 5, block_size: 48 };

/** Saves a version under two names, one for each writer, whose tokens differ in likelihood as a trained one's do. */
function addModel(name: string, config = base, seed = 7) {
  const weights = Object.fromEntries(
    Object.entries({ ...initialWeights(config, seed) }).map(([key, { shape, data }]) => [
      key,
      // Adapters begin as zeros.
      shape.length === 1 ? { shape, data } : { shape, data: data.map((value, at) => 8 * value || 0.3 * Math.sin(at)) },
    ]),
  );
  save(name, config, weights);
}

function save(name: string, config: GPTConfig, weights: Model['weights']) {
  const tokenization = { method: 'pretrained', vocab_size: VOCABULARY, tokenizerPath } as const;
  for (const by of ['llama', 'engine'])
    saveModel(
      paths.model(`${name}.${by}`),
      { weights, config, tokenization, provenance: {} },
      {},
      { replace: 'anything' },
    );
}

beforeAll(async () => {
  const pieces = new Map(['the', ' whale', ' sea', ' ship', ' and', ' of'].map((piece, at) => [piece, 9 - at]));
  const { files } = await learnTokenizer(pieces, VOCABULARY);
  writeFileSync(tokenizerPath, files['tokenizer.json']);
  addModel('one');
});
afterEach(() => vi.unstubAllEnvs());

const drawing = { temperature: 1, top_p: 0.9, min_p: 0, repetition_penalty: 1, seed: 5 };
const request = { folder, prompt: 'the whale and the ', n: 1, max_tokens: 12, stop: [], ...drawing };
type Asked = Partial<typeof request>;

async function written(by: 'llama' | 'engine', asked: Asked, name = 'one', model = `${name}.${by}`) {
  if (by === 'engine') vi.stubEnv('VERISIM_LLAMA', 'none');
  else vi.unstubAllEnvs();
  const { context, events } = testContext();
  const { choices } = await completeText({ ...request, ...asked, model }, context, () => undefined);
  const tokens = choices.flatMap((choice) => choice.tokens);
  const [reason] = events.flatMap((event) =>
    event.event === 'notice' && event.code === 'llama_fallback' ? [plainEnglish(event.message)] : [],
  );
  return { texts: tokens.map(({ text }) => text), logs: tokens.map(({ log_prob }) => log_prob), reason };
}
async function expectSame(asked: Asked, name?: string) {
  const [theirs, ours] = [await written('llama', asked, name), await written('engine', asked, name)];
  expect(theirs.reason).toBeUndefined();
  expect(ours.reason).toContain('VERISIM_LLAMA=none');
  expect(theirs.texts, JSON.stringify(asked)).toEqual(ours.texts);
  // Weights and caches have 16 bits there.
  for (const [at, log] of theirs.logs.entries()) expect(Math.abs(log - (ours.logs[at] ?? NaN))).toBeLessThan(0.02);
}

describe('llama.cpp draws as the engine does', () => {
  it.each([
    { prompt: 'the whale ', max_tokens: 60 },
    { prompt: '' },
    { prompt: 'of the sea, and the ship '.repeat(9) },
    { prompt: 'zebra \u{1F433} ' },
  ])('the likeliest tokens after: $prompt', (asked) => expectSame({ temperature: 1e-4, ...asked }));

  it.each([
    { top_p: 0.9 },
    { top_p: 1 },
    { min_p: 0.2 },
    { temperature: 0.7, min_p: 0.05 },
    { temperature: 0.6, top_p: 1, min_p: 0.1 },
    { temperature: 1.4 },
    { repetition_penalty: 1.3 },
    { temperature: 0.8, repetition_penalty: 0.8 },
  ])('the same for the same seed: $temperature $top_p $min_p $repetition_penalty', (rule) =>
    expectSame({ n: 2, max_tokens: 8, ...rule }),
  );

  it('as before training: the first model without its adapters', async () => {
    addModel('adapted', { ...base, lora: { rank: 2, alpha: 4, projections: 'all' } });
    const { weights } = loadModel(paths.model('adapted.engine'));
    save('plain', base, Object.fromEntries(Object.entries(weights).filter(([key]) => !key.includes('lora'))));
    renameSync(paths.model('adapted.llama'), paths.model('base_model_v1'));
    for (const by of ['llama', 'engine'] as const) {
      const textsOf = async (model: string) => (await written(by, { temperature: 1e-4 }, model, model)).texts;
      const plain = await textsOf(`plain.${by}`);
      expect(await textsOf('untrained')).toEqual(plain);
      expect(await textsOf('base_model_v1')).not.toEqual(plain);
    }
    const tokensOf = async (model: string) =>
      (await inspect({ folder, model, before: 'the', text: ' whale' }, testContext().context)).tokens;
    expect(await tokensOf('untrained')).toEqual(await tokensOf('plain.engine'));
  });

  it('with adapters, as GPT-2, and with eight at once', async () => {
    addModel('adapted', { ...base, lora: { rank: 2, alpha: 4, projections: 'all' } });
    addModel('gpt2', { ...tinyModel, vocab_size: VOCABULARY, block_size: 48 });
    for (const name of ['adapted', 'gpt2']) await expectSame({ temperature: 1e-4, n: 8 }, name);
  });
});

it('reads as much of a growing text as is allowed, from a beginning that seldom moves', () => {
  const starts = Array.from({ length: 2000 }, (_, length) => {
    const ids = Uint32Array.from({ length: length + 1 }, (_, at) => at);
    const prompt = promptOf(ids, 512, 50 + (length % 14), 224);
    expect(prompt.at(-1)).toBe(length);
    expect(prompt.length).toBeGreaterThan(Math.min(length, 224 - 56));
    expect(prompt.length).toBeLessThanOrEqual(224);
    return prompt[0];
  });
  expect(new Set(starts).size).toBe(Math.ceil((2000 - 224) / 56) + 1);
});

it('continues from less of a text that it has not read yet', async () => {
  const loaded = await loadedModel({ folder, model: 'one.llama' }, testContext().context);
  const encoded = encodeBefore(loaded, 'and the sea of the whale, the ship, '.repeat(5));
  const promptFor = async (count: number) => {
    const asked = { ...drawing, count, tokens: 3, reads: 8 };
    return (await continueWith(loaded, encoded, asked, () => undefined)).prompt.length;
  };
  expect(await promptFor(2)).toBeLessThanOrEqual(8);
  const long = await promptFor(0);
  expect(long).toBeGreaterThan(8);
  expect(await promptFor(2)).toBe(long);
});

describe('a request', () => {
  const version = { folder, model: 'one.llama' };
  const words = { ...version, ...drawing, before: 'the whale and ', words: 5, count: 3 };

  it('is streamed, stopped at once, and answered after that', async () => {
    const shown: (readonly string[])[] = [];
    const { context } = testContext();
    const stop = { requested: false };
    const onProgress = (value: unknown) => {
      shown.push((value as { readonly texts: readonly string[] }).texts);
      stop.requested = shown.length === 2;
    };
    // Without continuations the text is only read.
    expect(await continueText({ ...words, count: 0 }, context, () => undefined)).toMatchObject({
      texts: [],
      copied: [],
    });
    const stopped = await continueText({ ...words, words: 300 }, { ...context, stop }, onProgress);
    expect(shown).toHaveLength(2);
    expect(shown[0]?.map((text) => text.length)).not.toEqual(shown[1]?.map((text) => text.length));
    expect(stopped.texts.every((text) => text.length < 100)).toBe(true);
    const { texts } = await continueText(words, context, () => undefined);
    expect(new Set(texts).size).toBe(3);
    expect(await continueText(words, context, () => undefined)).toMatchObject({ texts });
  });

  it('makes the file once, again for another version of the name, and keeps three', async () => {
    const files = () => readdirSync(paths.gguf).sort();
    const load = async (name: string) => loadedModel({ folder, model: name }, testContext().context);
    await load('one.llama');
    const [file = ''] = files().filter((name) => name.startsWith('one'));
    const made = statSync(join(paths.gguf, file)).ino;
    await load('gpt2.llama');
    await load('one.llama');
    expect(statSync(join(paths.gguf, file)).ino).toBe(made);
    expect(files()).toHaveLength(3);
    addModel('one', base, 8);
    await load('gpt2.llama');
    await load('one.llama');
    expect(files()).toHaveLength(3);
    expect(files().filter((name) => name.startsWith('one'))).toHaveLength(2);
    expect(files().some((name) => name.startsWith('adapted'))).toBe(false);
  });

  it('is answered by the engine where llama.cpp cannot, with the reason', async () => {
    addModel('modern', { ...tinyModern, vocab_size: VOCABULARY, block_size: 48 });
    expect(await written('llama', {}, 'modern')).toMatchObject({
      reason: expect.stringContaining('nanochat') as unknown,
    });
    rmSync(paths.gguf, { recursive: true });
    writeFileSync(paths.gguf, 'a file in the place of the folder');
    const { texts, reason } = await written('llama', { n: 2 });
    rmSync(paths.gguf);
    expect(reason).toBeTruthy();
    expect(texts).toEqual((await written('engine', { n: 2 })).texts);
  });

  it.each<[string, (file: Buffer, other: Buffer) => Buffer]>([
    ['cut', (file) => file.subarray(0, -100)],
    ['with zeros as header', (file) => file.fill(0, 0, 64)],
    ['with zeros as weights', (file) => file.fill(0, file.length / 2)],
    ['of another vocabulary', (_, other) => other],
  ])('makes a file again that is %s', async (_, damage) => {
    const load = async (name: string) => loadedModel({ folder, model: name }, testContext().context);
    const fileOf = (name: string) =>
      join(paths.gguf, readdirSync(paths.gguf).find((found) => found.startsWith(name)) ?? '', 'model.gguf');
    await load('one.llama');
    addModel('other', { ...base, vocab_size: 200 });
    await load('other.llama');
    const file = fileOf('one.llama');
    const whole = readFileSync(file);
    writeFileSync(file, damage(readFileSync(file), readFileSync(fileOf('other.llama'))));
    const { texts, reason } = await written('llama', { n: 2 });
    expect(reason).toBeUndefined();
    expect(readFileSync(file).equals(whole)).toBe(true);
    expect(texts).toEqual((await written('engine', { n: 2 })).texts);
  });
});
