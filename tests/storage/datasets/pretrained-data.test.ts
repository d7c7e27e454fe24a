// Datasets in a pretrained model's tokens: the tokenizer lies next to them and travels with a model, small vocabularies
// keep nanoGPT's 16-bit ids, large ones have 32-bit ids that nothing takes for those.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { GPTConfig } from '../../../shared/config/model.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { encodeGguf, type TypedValue } from '../../../main/formats/gguf/gguf-write.js';
import { openRewardDataset } from '../../../main/storage/datasets/reward-dataset-files.js';
import { createRewardDatasetWriter } from '../../../main/storage/datasets/reward-dataset-writer.js';
import { openBinaryData, type PrepareOptions, prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { openTokenFile } from '../../../main/storage/datasets/token-files.js';
import { loadTokenizer, readPretrained } from '../../../main/storage/datasets/tokenizer-files.js';
import { loadModel, saveModel } from '../../../main/storage/projects/models.js';
import { tinyModel } from '../../support/engine.js';
import { faultOf, faultOfAsync } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

interface Kind {
  readonly tokenizer: { readonly added_tokens: object[]; readonly model: { readonly vocab: Record<string, number> } };
}
const kinds = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, '../../engine/tokenizer/pretrained-cases.json'), 'utf8'),
) as Readonly<Record<string, Kind>>;
const small = kinds['smollm'] as Kind;
/** The same tokens under ids that 16 bits cannot hold. */
const FIRST = 151_000;
const large = {
  ...small.tokenizer,
  added_tokens: [],
  model: {
    ...small.tokenizer.model,
    vocab: Object.fromEntries(Object.entries(small.tokenizer.model.vocab).map(([token, id]) => [token, FIRST + id])),
  },
};
const text = 'Call me Ishmael. Some 12 years ago, never mind how long precisely: 1851.\n'.repeat(40);

const root = temporaryFolder();
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
let folder = '';
let count = 0;
beforeEach(() => {
  folder = path.join(root, `case${++count}`);
  fs.mkdirSync(folder);
});
const at = (...names: string[]): string => path.join(folder, ...names);

async function prepare(tokenizer: object, options: Partial<PrepareOptions> = {}) {
  fs.writeFileSync(at('input.txt'), text);
  fs.mkdirSync(at('model'), { recursive: true });
  fs.writeFileSync(at('model', 'tokenizer.json'), JSON.stringify(tokenizer));
  const from = { dataPath: at('input.txt'), tokenizerPath: at('model'), outDir: at('out') };
  return prepareText({ ...from, tokenization: 'pretrained', trainSplit: 0.75, ...options });
}
const open = (tokenization: 'auto' | 'pretrained' = 'auto') =>
  openBinaryData({ trainBin: at('out', 'train.bin'), valBin: at('out', 'val.bin'), tokenization });

describe('a small vocabulary', () => {
  it("has nanoGPT's files, and its tokenizer next to them", async () => {
    const prepared = await prepare(small.tokenizer);
    expect(prepared).toMatchObject({
      method: 'pretrained',
      metaPath: null,
      tokenizerPath: at('out', 'tokenizer.json'),
    });
    expect(fs.readdirSync(at('out'))).toEqual(['tokenizer.json', 'train.bin', 'val.bin']);
    const ids = new Uint16Array(new Uint8Array(fs.readFileSync(at('out', 'train.bin'))).buffer);
    expect([...ids]).toEqual([...prepared.tokenizer.encode(text.slice(0, text.length * 0.75))]);
    const data = await open();
    expect(data.reason.code).toBe('tokens.reason.file');
    expect(data.tokenizer.decode(data.train.read(0, data.train.length))).toBe(text.slice(0, text.length * 0.75));
    data.close();
  });
});

describe('a vocabulary beyond 16 bits', () => {
  it('has 32-bit ids behind the header of llm.c, and is read back', async () => {
    const prepared = await prepare(large);
    const bytes = fs.readFileSync(at('out', 'train.bin'));
    expect([0, 4, 8].map((place) => bytes.readUInt32LE(place))).toEqual([20240801, 7, prepared.trainTokens]);
    expect(bytes.length).toBe(1024 + 4 * prepared.trainTokens);
    const data = await open('pretrained');
    const ids = data.train.read(0, data.train.length);
    expect(ids).toBeInstanceOf(Uint32Array);
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(FIRST);
    expect([...ids]).toEqual([...prepared.tokenizer.encode(text.slice(0, text.length * 0.75))]);
    expect(data.tokenizer.decode(data.val.read(0, data.val.length))).toBe(text.slice(text.length * 0.75));
    expect(data.notes).toEqual([]);
    data.close();
  });

  it('is refused where its file was cut short, or an id is too large', async () => {
    await prepare(large);
    const file = at('out', 'val.bin');
    expect(faultOf(() => openTokenFile(file, { vocabSize: FIRST + 20 }))).toMatchObject({
      code: 'binary_file',
      message: expect.stringMatching(/has the id 15\d{4} at position \d+, but vocab_size is 151020/),
    });
    fs.truncateSync(file, fs.statSync(file).size - 8);
    expect(await faultOfAsync(open())).toMatchObject({ message: expect.stringMatching(/header promises \d+ tokens/) });
  });

  it('has reward data of 32-bit ids, as its metadata says, and resumes it', () => {
    const tokenization = { method: 'pretrained', vocabSize: 151_936 } as const;
    const options = { blockSize: 2, tokenization, settings: { seed: 1 } };
    const [x, y] = [Uint32Array.of(70_000, 1, 151_935, 2), Float32Array.of(0.25, 0.75, 0.5, 0.5)];
    const first = createRewardDatasetWriter(at('data'), options);
    first.append('train', x, y);
    first.close();
    const writer = createRewardDatasetWriter(at('data'), options);
    expect(writer.settled.train.planned).toBe(2);
    // Ids that fit into 16 bits are written as wide as the others.
    writer.append('val', Uint16Array.of(5, 6), Float32Array.of(1, 0));
    writer.finish();
    expect(fs.readFileSync(at('data', 'train_metadata.txt'), 'utf8')).toMatch(/x_dtype: uint32\n/);
    expect(fs.statSync(at('data', 'val_x.bin')).size).toBe(8);
    const [train, val] = (['train', 'val'] as const).map((split) => openRewardDataset(at('data'), split));
    expect([...(train?.x(0, 2) ?? [])]).toEqual([...x]);
    expect([...(val?.x(0, 1) ?? [])]).toEqual([5, 6]);
    train?.close();
    val?.close();
    fs.writeFileSync(
      at('data', 'val_metadata.txt'),
      fs.readFileSync(at('data', 'val_metadata.txt'), 'utf8').replace('uint32', 'uint16'),
    );
    expect(faultOf(() => openRewardDataset(at('data'), 'val'))).toMatchObject({
      message: expect.stringMatching(/x_dtype is uint16, expected uint32/),
    });
  });
});

describe('a tokenizer', () => {
  it('is found in a file, in a folder and in a GGUF file', async () => {
    fs.writeFileSync(at('tokenizer.json'), JSON.stringify(small.tokenizer));
    const { model } = small.tokenizer as unknown as { model: { vocab: Record<string, number>; merges: string[][] } };
    const tokens = Object.entries(model.vocab).sort(([, a], [, b]) => a - b);
    const metadata = new Map<string, TypedValue>([
      ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
      ['tokenizer.ggml.pre', { type: 'string', value: 'smollm' }],
      ['tokenizer.ggml.tokens', { type: 'strings', value: tokens.map(([token]) => token) }],
      ['tokenizer.ggml.token_type', { type: 'i32s', value: tokens.map((_, id) => (id < 2 ? 3 : 1)) }],
      ['tokenizer.ggml.merges', { type: 'strings', value: model.merges.map((merge) => merge.join(' ')) }],
    ]);
    fs.writeFileSync(at('model.gguf'), Buffer.concat([...encodeGguf(metadata, [])]));
    const found = await Promise.all(
      [at('tokenizer.json'), folder, at('model.gguf')].map((place) => readPretrained(place)),
    );
    const ids = found.map(({ tokenizer }) => [...tokenizer.encode(`<|start|>${text.slice(0, 200)}<|end|>`)]);
    expect(ids[1]).toEqual(ids[0]);
    expect(ids[2]).toEqual(ids[0]);
    expect(ids[0]?.at(0)).toBe(1);
  });

  it('travels with a model', async () => {
    fs.writeFileSync(at('tokenizer.json'), JSON.stringify(small.tokenizer));
    const config: GPTConfig = { ...tinyModel, vocab_size: 420 };
    const tokenization = { method: 'pretrained', vocab_size: 420, tokenizerPath: at('tokenizer.json') } as const;
    saveModel(at('saved'), { weights: initialWeights(config, 1), config, tokenization, provenance: {} });
    fs.renameSync(at('saved'), at('moved'));
    const { tokenization: found } = loadModel(at('moved'));
    expect(found).toEqual({ ...tokenization, tokenizerPath: at('moved', 'tokenizer.json') });
    const tokenizer = await loadTokenizer(found);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    expect(fs.readFileSync(at('moved', 'state.json'), 'utf8')).not.toContain(root);
  });
});

describe('tokens learned from the text', () => {
  it('are learned from its training part alone, and are stored next to the data', async () => {
    const held = 'zzqq zzqq zzqq '.repeat(20);
    fs.writeFileSync(at('input.txt'), text + held);
    const done: number[] = [];
    const prepared = await prepareText({
      ...{ dataPath: at('input.txt'), outDir: at('out'), tokenization: 'learned', vocab: 300 },
      trainSplit: text.length / (text.length + held.length),
      onProgress: (bytes) => done.push(bytes),
    });
    expect(prepared).toMatchObject({ method: 'pretrained', tokenizerPath: at('out', 'tokenizer.json') });
    expect(prepared.reason).toEqual({
      code: 'tokens.reason.learned',
      params: { tokens: { count: 300 }, reason: null },
    });
    expect(prepared.tokenizer.vocabSize).toBe(300);
    const pieces = Array.from({ length: 300 }, (_, id) => prepared.tokenizer.decode([id]));
    expect(pieces).toContain(' Ishmael');
    expect(pieces.filter((piece) => /zz|qq/.test(piece))).toEqual([]);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done.at(-1)).toBe(fs.statSync(at('input.txt')).size);
    const data = await open();
    expect(data.tokenizer.decode(data.train.read(0, data.train.length))).toBe(text);
    expect(data.tokenizer.decode(data.val.read(0, data.val.length))).toBe(held);
    data.close();
  });

  it('are fewer where the text has no more to give, and nothing is written when it is stopped', async () => {
    fs.writeFileSync(at('input.txt'), 'abcdefgh '.repeat(50));
    const from = { dataPath: at('input.txt'), tokenization: 'learned', vocab: 5000, trainSplit: 0.9 } as const;
    const prepared = await prepareText({ ...from, outDir: at('out') });
    expect(prepared.tokenizer.vocabSize).toBeLessThan(300);
    const stop = { requested: false };
    const stopping = prepareText({ ...from, outDir: at('none'), stop, onProgress: () => (stop.requested = true) });
    expect(await faultOfAsync(stopping)).toMatchObject({ code: 'stopped' });
    expect(fs.existsSync(at('none'))).toBe(false);
  });
});
