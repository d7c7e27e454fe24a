// A GGUF file as a base model: the network that Hugging Face's folder would give, with the tokenizer that is inside, and
// both kept when the model is saved.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ggufOf } from '../../../main/formats/gguf/gguf-export.js';
import { encodeGguf, type TypedValue } from '../../../main/formats/gguf/gguf-write.js';
import { writeHuggingFaceModel } from '../../../main/formats/huggingface.js';
import { openSafetensors } from '../../../main/formats/safetensors.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import type { Json } from '../../../main/engine/types.js';
import { loadTokenizer } from '../../../main/storage/datasets/tokenizer-files.js';
import { findForeignModel, loadForeignModel } from '../../../main/storage/projects/foreign-models.js';
import { loadModel, saveModel } from '../../../main/storage/projects/models.js';
import { tinyLlama } from '../../support/engine.js';
import { faultOf } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

const folder = temporaryFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => path.join(folder, name);

const weights = initialWeights(tinyLlama, 3);
const tokens = Array.from({ length: tinyLlama.vocab_size }, (_, id) => String.fromCharCode(0x61 + id));
const tokenizer = new Map<string, TypedValue>([
  ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
  ['tokenizer.ggml.pre', { type: 'string', value: 'gpt-2' }],
  ['tokenizer.ggml.tokens', { type: 'strings', value: [...tokens.slice(0, -1), 'ab'] }],
  ['tokenizer.ggml.merges', { type: 'strings', value: ['a b'] }],
]);

const files = writeHuggingFaceModel(tinyLlama, weights);
const { metadata, tensors } = ggufOf(
  JSON.parse(files['config.json']) as Readonly<Record<string, Json>>,
  openSafetensors(Buffer.concat([...files['model.safetensors']])),
  { size: tinyLlama.vocab_size, metadata: tokenizer },
  { name: 'tiny', form: 'F16' },
);

it('is found, read with its tokenizer, and saved with it', async () => {
  fs.writeFileSync(at('tiny.gguf'), Buffer.concat([...encodeGguf(metadata, tensors)]));

  const found = findForeignModel(at('tiny.gguf'));
  if (found === null) throw new Error('it is not found');
  const model = loadForeignModel(found);
  // The reward head is no part of it, and the block is what the file says of positions.
  const { reward_head_hidden_dim: _, block_size: __, ...shape } = tinyLlama;
  expect(model.config).toMatchObject(shape);
  expect(Object.keys(model.weights).sort()).toEqual(Object.keys(weights).sort());
  for (const [name, { shape: size, data }] of Object.entries(weights)) {
    expect(model.weights[name]?.shape).toEqual(size);
    const read = model.weights[name]?.data ?? new Float32Array(0);
    expect(data.every((value, i) => Math.abs(value - (read[i] ?? NaN)) <= Math.abs(value) / 1024 + 2 ** -24)).toBe(
      true,
    );
  }

  saveModel(at('saved'), model);
  fs.rmSync(at('tiny.gguf'));
  const { tokenization } = loadModel(at('saved'));
  expect(tokenization).toMatchObject({ method: 'pretrained', vocab_size: tinyLlama.vocab_size });
  const kept = await loadTokenizer(tokenization);
  expect([...kept.encode('cabd')]).toEqual([2, tinyLlama.vocab_size - 1, 3]);
});

it('is one of several parts, of any number of tensors', async () => {
  fs.writeFileSync(at('tiny.gguf'), Buffer.concat([...encodeGguf(metadata, tensors)]));
  const whole = loadForeignModel(findForeignModel(at('tiny.gguf')) ?? expect.unreachable());
  fs.mkdirSync(at('parts'));
  const write = (numbers: readonly number[], count: number, total: number): string[] =>
    numbers.map((number, place) => {
      const split = new Map<string, TypedValue>([
        ['split.no', { type: 'u32', value: number }],
        ['split.count', { type: 'u32', value: count }],
        ['split.tensors.count', { type: 'u32', value: total }],
      ]);
      // The first has the settings alone, as llama-gguf-split can make it.
      const own = place === 0 ? [] : tensors.filter((_, i) => i % (numbers.length - 1) === place - 1);
      const name = at(`parts/m-0000${place + 1}-of-0000${numbers.length}.gguf`);
      fs.writeFileSync(
        name,
        Buffer.concat([...encodeGguf(place === 0 ? new Map([...metadata, ...split]) : split, own)]),
      );
      return name;
    });
  const [, , last = ''] = write([0, 1, 2], 3, tensors.length);
  for (const given of [at('parts'), last]) {
    const model = loadForeignModel(findForeignModel(given) ?? expect.unreachable());
    expect(model.config).toEqual(whole.config);
    expect(model.weights).toEqual(whole.weights);
    expect([...(await loadTokenizer(model.tokenization)).encode('cab')]).toEqual([2, tinyLlama.vocab_size - 1]);
  }
  for (const [numbers, count, total] of [
    [[0, 2, 1], 3, tensors.length],
    [[0, 1, 2], 4, tensors.length],
    [[0, 1, 2], 3, tensors.length + 1],
  ] as const) {
    write(numbers, count, total);
    const found = findForeignModel(last) ?? expect.unreachable();
    expect(faultOf(() => loadForeignModel(found)).message).toMatch(/part \d does not belong to the others/);
  }
});
