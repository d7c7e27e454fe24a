// Models of other programs as a person names them: what is found at a path, and how its text was tokenized.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { gpt2Vocabulary } from '../../../main/engine/tokenizer/bpe.js';
import { writeHuggingFaceModel } from '../../../main/formats/huggingface.js';
import { gpt2TokenizerJson } from '../../../main/formats/tokenizer/byte-level-json.js';
import { tokenizerOfVocabulary } from '../../../main/formats/gguf/hugging-face-files.js';
import { loadTokenizer } from '../../../main/storage/datasets/tokenizer-files.js';
import { writeMetaPickle } from '../../../main/formats/pickle/meta-pickle.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { encodeTorchCheckpoint } from '../../../main/formats/torch/torch-checkpoint-write.js';
import { findForeignModel, loadForeignModel } from '../../../main/storage/projects/foreign-models.js';
import { saveModel } from '../../../main/storage/projects/models.js';
import { foreignFile } from '../../parity/foreign.js';
import { llamaFolder } from '../../parity/llama.js';
import { tinyModel } from '../../support/engine.js';
import { inEnglish } from '../../support/messages.js';
import { faultOf } from '../fault-of.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verisim-foreign-'));
});

const at = (...names: string[]) => join(folder, ...names);
const put = (name: string, from: string) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  copyFileSync(foreignFile(from), at(name));
  return at(name);
};
const load = (path: string, metaPaths?: Parameters<typeof loadForeignModel>[1]) => {
  const found = findForeignModel(path);
  if (!found) throw new Error(`nothing found at ${path}`);
  return loadForeignModel(found, metaPaths);
};
const meta = (name: string, characters: readonly string[]) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), writeMetaPickle(characters));
  return at(name);
};
const index = 'model.safetensors.index.json';
const GPT2 = '{"model_type": "gpt2"}';
const eleven = [...'abcdefghijk'];

describe('what is found at a path', () => {
  it('a .pt file, whatever it is called if it is a zip', () => {
    for (const name of ['model.pt', 'm/ckpt.pt', 'weights', 'model.PTH']) {
      const file = put(name, 'half.pt');
      expect(findForeignModel(file)).toEqual({ format: 'torch', folder: dirname(file), weights: file, files: [file] });
    }
  });

  it('nanoGPT’s output folder', () => {
    const file = put('out/ckpt.pt', 'half.pt');
    expect(findForeignModel(at('out'))?.weights).toBe(file);
  });

  it('a Hugging Face folder, or a file in it', () => {
    const [config, weights] = ['config.json', 'model.safetensors'].map((name) => put(`hf/${name}`, `gpt2/${name}`));
    for (const name of ['hf', 'hf/config.json', 'hf/model.safetensors']) {
      const expected = { format: 'huggingface', folder: at('hf'), weights, files: [config, weights] };
      expect(findForeignModel(at(name))).toEqual(expected);
    }
  });

  it('a Hugging Face folder in shards: the index, and every file that may be one', () => {
    cpSync(llamaFolder('qwen2'), at('hf'), { recursive: true });
    const names = ['config.json', index, 'model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const files = names.map((name) => at('hf', name));
    const expected = { format: 'huggingface', folder: at('hf'), weights: at('hf', index), files };
    for (const name of ['hf', `hf/${index}`, 'hf/model-00001-of-00002.safetensors']) {
      expect(findForeignModel(at(name))).toEqual(expected);
    }
    put('hf/model.safetensors', 'gpt2/model.safetensors');
    expect(findForeignModel(at('hf'))?.weights).toBe(at('hf/model.safetensors'));
  });

  it('nothing where there is nothing, another folder, or a model of Verisim', () => {
    const weights = initialWeights(tinyModel, 1);
    const tokenization = { method: 'bpe', vocab_size: 50257 } as const;
    saveModel(at('ours'), { weights, config: tinyModel, tokenization, provenance: {} });
    copyFileSync(foreignFile('gpt2/config.json'), at('ours/config.json'));
    writeFileSync(at('text.txt'), 'text');
    for (const name of ['none', '.', 'text.txt', 'ours', 'ours/weights.safetensors']) {
      expect(findForeignModel(at(name)), name).toBeNull();
    }
  });
});

describe('a folder of a kind that is known and not read', () => {
  const made = (name: string, files: Readonly<Record<string, string>>) => {
    mkdirSync(at(name));
    for (const [file, text] of Object.entries(files)) writeFileSync(at(name, file), text);
    return at(name);
  };
  const messageOf = (path: string) => faultOf(() => findForeignModel(path)).message;

  it('adapters, by the model that they belong to', () => {
    const adapters = {
      'adapter_model.safetensors': '',
      'adapter_config.json': '{"base_model_name_or_path": "org/small"}',
    };
    expect(messageOf(made('adapters', adapters))).toMatch(/contains PEFT adapters, .* made for, org\/small$/);
    expect(messageOf(made('silent', { 'adapter_config.json': '[' }))).toMatch(/they were made for$/);
    expect(faultOf(() => findForeignModel(at('adapters'))).hint).toMatch(/merge_and_unload/);
  });

  it.each([
    ['model.onnx', /an ONNX model/],
    ['saved_model.pb', /a Keras or TensorFlow model/],
    ['pytorch_model.bin', /without the config\.json/],
    ['pytorch_model-00001-of-00002.bin', /without the config\.json/],
  ])('%s', (file, message) => {
    expect(messageOf(made('other', { [file]: '' }))).toMatch(message);
  });
});

describe('a folder of GGUF files', () => {
  const made = (...names: readonly string[]) => {
    mkdirSync(at('m'));
    for (const name of names) writeFileSync(at('m', name), 'GGUF');
    return at('m');
  };
  it.each(['model.gguf', 'Model.GGUF'])('%s alone is the model, also with the config.json of its origin', (name) => {
    made(name);
    expect(findForeignModel(at('m'))?.weights).toBe(at('m', name));
    writeFileSync(at('m/config.json'), '{}');
    expect(findForeignModel(at('m'))?.weights).toBe(at('m', name));
  });

  it.each([
    [['a-Q4.gguf', 'b-Q8.GGUF'], /holds several models: a-Q4\.gguf; b-Q8\.GGUF/, /one of these files/],
    [['m-00001-of-00003.gguf'], /missing: m-00002-of-00003\.gguf; m-00003-of-00003\.gguf/, /Download the missing/],
    [['m-00001-of-00002.gguf', 'n.gguf'], /several models/, /one of these files/],
  ])('%j are refused by what they are', (names, message, hint) => {
    const folder = made(...names);
    expect(faultOf(() => findForeignModel(folder))).toMatchObject({
      message: expect.stringMatching(message) as unknown,
      hint: expect.stringMatching(hint) as unknown,
    });
  });

  it('all parts are one model, whichever is named; one part alone is refused as one', () => {
    const names = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'];
    made(...names);
    const files = names.map((name) => at('m', name));
    for (const name of ['m', 'm/m-00002-of-00002.gguf']) expect(findForeignModel(at(name))?.files).toEqual(files);
    rmSync(files[0] ?? '');
    expect(faultOf(() => findForeignModel(at('m/m-00002-of-00002.gguf'))).message).toMatch(/missing: m-00001/);
  });
});

describe('how its text was tokenized', () => {
  it('the meta.pkl that is named wins over the one next to it', () => {
    const file = put('model.pt', 'half.pt');
    expect(load(file).tokenization).toEqual({ method: 'char', vocab_size: 11 });
    meta('meta.pkl', eleven);
    expect(load(file).tokenization.chars).toEqual(eleven);
    const given = meta('other/meta.pkl', [...'ABCDEFGHIJK']);
    expect(load(file, { given }).tokenization.chars).toEqual([...'ABCDEFGHIJK']);
  });

  it('a candidate is taken if none is next to it', () => {
    const file = put('models/model.pt', 'half.pt');
    const candidates = [at('nowhere/meta.pkl'), meta('data/meta.pkl', eleven)];
    expect(load(file, { candidates }).tokenization.chars).toEqual(eleven);
  });

  it('one that does not fit is refused', () => {
    const file = put('model.pt', 'half.pt');
    const given = meta('meta.pkl', [...'abcdefghijklm']);
    for (const paths of [{ given }, {}]) {
      expect(faultOf(() => load(file, paths))).toMatchObject({ code: 'tokenization_mismatch', field: 'meta_path' });
    }
    expect(faultOf(() => load(file, { given: meta('few/meta.pkl', ['a']) })).code).toBe('tokenization_mismatch');
    expect(faultOf(() => load(file, { given: at('none.pkl') })).code).toBe('meta_file');
  });

  it('a vocabulary may have been rounded up; one of GPT-2’s size is GPT-2’s', () => {
    const write = (vocab_size: number) => {
      const config = { ...tinyModel, vocab_size };
      const facts = { iter_num: 0, best_val_loss: 1, dataset: null };
      const bytes = encodeTorchCheckpoint(config, initialWeights(config, 1), facts);
      writeFileSync(at('model.pt'), Buffer.concat(bytes));
      return at('model.pt');
    };
    meta('meta.pkl', eleven);
    expect(load(write(16)).tokenization).toEqual({ method: 'char', vocab_size: 11, chars: eleven });
    for (const size of [50257, 50304]) {
      expect(load(write(size)).tokenization).toEqual({ method: 'bpe', vocab_size: 50257 });
    }
    expect(load(write(60000)).tokenization.method).toBe('char');
  });

  const own = (name: string) => readFileSync(new URL(`../../formats/tokenizer/fixtures/${name}`, import.meta.url));
  const gpt2Shaped = (vocab_size: number, files: Readonly<Record<string, string | Buffer>>) => {
    const written = writeHuggingFaceModel(
      { ...tinyModel, vocab_size },
      initialWeights({ ...tinyModel, vocab_size }, 1),
    );
    mkdirSync(at('hf'));
    for (const [name, content] of Object.entries({ ...files, 'config.json': written['config.json'] }))
      writeFileSync(at('hf', name), content);
    writeFileSync(at('hf/model.safetensors'), Buffer.concat([...written['model.safetensors']]));
    return load(at('hf')).tokenization;
  };
  const pair = { 'vocab.json': own('vocab.json'), 'merges.txt': own('merges.txt') };
  const ownJson = tokenizerOfVocabulary(
    { 'vocab.json': String(pair['vocab.json']), 'merges.txt': String(pair['merges.txt']), 'config.json': GPT2 },
    '',
  );

  it.each([
    ['its own tokenizer.json', 50257, { 'tokenizer.json': ownJson }, 'tokenizer.json'],
    ['its own, with rows to spare', 50304, { 'tokenizer.json': ownJson }, 'tokenizer.json'],
    ['its own vocab.json and merges.txt', 50257, pair, 'vocab.json'],
    ['a small vocab.json and merges.txt', 330, pair, 'vocab.json'],
    ['tokenizer.model', 400, { 'tokenizer.model': own('tokenizer.model') }, 'tokenizer.model'],
  ])('a network of GPT-2’s shape has the tokens of %s', async (_, rows, files, name) => {
    const tokenization = gpt2Shaped(rows, files);
    expect(tokenization).toEqual({ method: 'pretrained', vocab_size: rows, tokenizerPath: at('hf', name) });
    const probe = 'The white whale';
    const tokenizer = await loadTokenizer(tokenization);
    expect(tokenizer.encode(probe)).toHaveLength(name === 'tokenizer.model' ? 10 : 9);
  });

  it('a token that was added without a row is left out, and no other', async () => {
    const json = JSON.parse(ownJson) as { added_tokens: object[] };
    json.added_tokens.push({ id: 330, content: '<pad>', special: true });
    const tokenizer = await loadTokenizer(gpt2Shaped(330, { 'tokenizer.json': JSON.stringify(json) }));
    expect(tokenizer.vocabSize).toBe(330);
    expect(Math.max(...tokenizer.encode('a <pad>'))).toBeLessThan(330);
    expect(tokenizer.decode(tokenizer.encode('a <pad>'))).toBe('a <pad>');
    expect(load(at('hf')).notes.map((note) => inEnglish(note))).toContainEqual(
      expect.stringMatching(/has 1 token without/),
    );
  });

  it('GPT-2’s own files, or none, are GPT-2’s tokens; of another size they are unknown', async () => {
    const json = gpt2TokenizerJson(await gpt2Vocabulary());
    expect(gpt2Shaped(50257, { 'tokenizer.json': json })).toEqual({ method: 'bpe', vocab_size: 50257 });
    rmSync(at('hf'), { recursive: true });
    expect(gpt2Shaped(50304, {})).toEqual({ method: 'bpe', vocab_size: 50257 });
    rmSync(at('hf'), { recursive: true });
    expect(gpt2Shaped(52000, {})).toEqual({ method: 'char', vocab_size: 52000 });
  });
});

describe('a model in shards', () => {
  const [first, second] = ['hf/model-00001-of-00002.safetensors', 'hf/model-00002-of-00002.safetensors'];
  beforeEach(() => {
    cpSync(llamaFolder('qwen2'), at('hf'), { recursive: true });
  });

  it('is read as one, also through links as a hub’s cache has them', () => {
    const { weights } = load(at('hf'));
    expect(Object.keys(weights)).toHaveLength(26);
    cpSync(at(first), at('blob'));
    rmSync(at(first));
    symlinkSync(at('blob'), at(first));
    expect(load(at('hf')).weights).toEqual(weights);
  });

  it('is refused without one of them, or with one that was cut short', () => {
    truncateSync(at(second), 1000);
    expect(faultOf(() => load(at('hf')))).toMatchObject({
      code: 'file_damaged',
      message: expect.stringContaining(at(second)) as unknown,
    });
    rmSync(at(second));
    expect(faultOf(() => load(at('hf')))).toMatchObject({
      code: 'checkpoint',
      message: expect.stringMatching(/has no model-00002-of-00002\.safetensors, which/) as unknown,
    });
  });

  it('whose index leads elsewhere is refused', () => {
    writeFileSync(at('hf', index), JSON.stringify({ weight_map: { 'model.norm.weight': '../blob.safetensors' } }));
    expect(faultOf(() => load(at('hf')))).toMatchObject({
      code: 'file_damaged',
      message: expect.stringContaining('no safetensors file of its own folder') as unknown,
    });
  });
});

describe('a folder that lacks something', () => {
  it('its weights', () => {
    put('hf/config.json', 'gpt2/config.json');
    expect(faultOf(() => load(at('hf')))).toMatchObject({
      code: 'checkpoint',
      hint: expect.stringMatching(/save_pretrained/) as unknown,
    });
  });
});
