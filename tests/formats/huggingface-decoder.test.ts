// Folders of Llama's family and NanoChat as transformers saves them (tests/parity/make_llama.py), and as Verisim does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialWeights } from '../../main/engine/model/model.js';
import type { NamedArrays } from '../../main/engine/types.js';
import { readHuggingFaceModel, writeHuggingFaceModel } from '../../main/formats/huggingface.js';
import { USUAL_CONTEXT } from '../../main/formats/huggingface-decoder.js';
import { decodeSafetensors, encodeSafetensors, openSafetensors } from '../../main/formats/safetensors.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { llamaFolder, llamaNames, nanochatNames, readLlamaFixture } from '../parity/llama.js';
import { faultOf } from '../storage/fault-of.js';
import { tinyLlama, tinyModern } from '../support/engine.js';

type Name = (typeof llamaNames)[number] | 'nanochat';
const file = (name: Name, part: string) => readFileSync(join(llamaFolder(name), part));
const configText = file('llama', 'config.json').toString('utf8');
const weightsFile = file('llama', 'model.safetensors');
const nanochatText = file('nanochat', 'config.json').toString('utf8');
const nanochatFile = file('nanochat', 'model.safetensors');
const read = (config: string, weights: Uint8Array = weightsFile) =>
  readHuggingFaceModel(config, openSafetensors(weights, 'model.safetensors'), 'the folder');
const edited = (changes: Readonly<Record<string, unknown>>, text = configText): string =>
  JSON.stringify({ ...(JSON.parse(text) as object), ...changes });
const bytesOf = (arrays: NamedArrays): Uint8Array => Buffer.concat([...encodeSafetensors(arrays)]);
const arrays = decodeSafetensors(weightsFile).arrays;

describe('a folder that transformers saved', () => {
  it.each<[(typeof llamaNames)[number], object]>([
    ['llama', { n_kv_head: 2, head_dim: 4, rope_theta: 10000, tied_head: false, attention_bias: 'none' }],
    [
      'llama3',
      {
        ...{ n_kv_head: 1, head_dim: 8, rope_theta: 500, tied_head: true },
        rope_scaling: {
          ...{ type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_positions: 64 },
        },
      },
    ],
    ['linear', { n_kv_head: 4, rope_theta: 1000, rope_scaling: { type: 'linear', factor: 4 }, attention_bias: 'all' }],
    ['qwen2', { rope_theta: 1000000, norm_epsilon: 1e-6, tied_head: true, attention_bias: 'inputs', qk_norm: false }],
    ['qwen3', { head_dim: 8, qk_norm: true, attention_bias: 'none' }],
  ])('%s: its shape', (name, shape) => {
    const { config } = readLlamaFixture(name);
    expect(config).toMatchObject({ architecture: 'llama', n_layer: 2, n_head: 4, n_embd: 16, vocab_size: 53 });
    expect(config.llama).toMatchObject({ n_inner: 24, max_positions: 128, ...shape });
  });

  it('its numbers are those of the file, also of 16 bits', () => {
    expect(read(configText).weights).toEqual(arrays);
    const half = file('qwen3', 'model.safetensors');
    expect(read(file('qwen3', 'config.json').toString(), half).weights).toEqual(decodeSafetensors(half).arrays);
  });

  it('reads positions in the form of transformers 4 too', () => {
    const older = edited({ rope_parameters: undefined, rope_theta: 500, rope_scaling: { type: 'linear', factor: 2 } });
    expect(read(older).config.llama).toMatchObject({ rope_theta: 500, rope_scaling: { type: 'linear', factor: 2 } });
    const plain = read(edited({ rope_parameters: undefined, rope_scaling: null })).config.llama;
    expect(plain).toMatchObject({ rope_theta: 10000 });
    expect(plain).not.toHaveProperty('rope_scaling');
  });

  it('with a long context uses the default one, and stores its own', () => {
    const { config } = read(edited({ max_position_embeddings: 131072 }));
    expect(config.block_size).toBe(USUAL_CONTEXT);
    expect(config.llama?.max_positions).toBe(131072);
  });

  it('may contain its tied head and its frequencies: both are ignored', () => {
    const tied = edited({ tie_word_embeddings: true });
    const embedding = arrays['model.embed_tokens.weight'];
    const frequencies = { shape: [2], data: new Float32Array(2) };
    const variant = {
      ...arrays,
      ...(embedding && { 'lm_head.weight': embedding }),
      'model.layers.0.self_attn.rotary_emb.inv_freq': frequencies,
    };
    const names = Object.keys(read(tied, bytesOf(variant)).weights);
    expect(names).toHaveLength(Object.keys(arrays).length - 1);
    expect(names).not.toContain('lm_head.weight');
    expect(faultOf(() => read(tied)).message).toMatch(/lm_head\.weight is not model\.embed_tokens\.weight/);
  });

  it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['another activation', { hidden_act: 'gelu' }, /hidden_act cannot be "gelu"/],
    ['biases in the feed-forward network', { mlp_bias: true }, /mlp_bias cannot be true/],
    ['a window that slides', { use_sliding_window: true }, /use_sliding_window cannot be true/],
    ['layers that do', { layer_types: ['full_attention', 'sliding_attention'] }, /layer_types\.1 cannot be "sliding/],
    ['numbers of few bits', { quantization_config: { quant_method: 'gptq', bits: 4 } }, /by gptq to 4 bits/],
    ['the same of MLX', { quantization: { group_size: 64, bits: 8 } }, /quantised by MLX to 8 bits/],
    ['another of the same', { quantization_config: { quant_method: 'fp8' } }, /quantised by fp8$/],
    [
      'another scaling of positions',
      { rope_parameters: { rope_type: 'yarn', factor: 4 } },
      /scaled by "yarn", which Verisim does not compute/,
    ],
    ['a scaling without its factor', { rope_parameters: { rope_type: 'linear' } }, /factor is missing/],
    ['positions of part of a head', { partial_rotary_factor: 0.5 }, /partial_rotary_factor cannot be 0\.5/],
    ['the same in the newer words', { rope_parameters: { partial_rotary_factor: 0.5 } }, /only 0\.5 of each head/],
    ['one without its depth', { num_hidden_layers: undefined }, /num_hidden_layers is missing/],
    ['heads that do not share evenly', { num_key_value_heads: 3 }, /must be divisible by n_kv_head/],
    [
      'a head that is not whole',
      { num_attention_heads: 3, num_key_value_heads: 3, head_dim: null },
      /llama\.head_dim cannot be 5\.3/,
    ],
    ['a layer more', { num_hidden_layers: 3 }, /tensor model\.layers\.2\.input_layernorm\.weight \[16\] is missing/],
    ['a layer less', { num_hidden_layers: 1 }, /the model has no tensor model\.layers\.1\./],
    ['biases that are not there', { attention_bias: true }, /q_proj\.bias \[16\] is missing/],
    ['a width beyond all', { hidden_size: 1e12 }, /n_embd/],
    ['a vocabulary beyond all', { vocab_size: 2 ** 31 }, /vocab_size/],
    ['positions that are a text', { rope_parameters: { rope_theta: 'far' } }, /rope_theta cannot be "far"/],
  ])('%s is refused by name', (_, changes, message) => {
    const fault = faultOf(() => read(edited(changes)));
    expect(fault).toMatchObject({ code: 'checkpoint', message: expect.stringMatching(message) as unknown });
  });

  it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['another activation', { hidden_act: 'gelu' }, /hidden_act cannot be "gelu"/],
    ['biases', { attention_bias: true }, /attention_bias cannot be true/],
    ['positions that are scaled', { rope_parameters: { rope_type: 'linear', factor: 4 } }, /scaled by "linear"/],
    ['a bound of nothing', { final_logit_softcapping: 0 }, /logit_cap/],
  ])('of NanoChat: %s is refused by name', (_, changes, message) => {
    const fault = faultOf(() => read(edited(changes, nanochatText), nanochatFile));
    expect(fault).toMatchObject({ code: 'checkpoint', message: expect.stringMatching(message) as unknown });
  });

  it('nanochat: its shape and numbers, and scores without a bound', () => {
    const shape = { n_kv_head: 4, head_dim: 4, n_inner: 24, rope_theta: 10000, tied_head: false, logit_cap: 15 };
    const { config, weights } = read(nanochatText, nanochatFile);
    expect(config).toMatchObject({ architecture: 'modern', n_layer: 2, n_head: 4, n_embd: 16, vocab_size: 53 });
    expect(config.modern).toEqual({ ...shape, norm_epsilon: 1e-6, max_positions: 128 });
    expect(weights).toEqual(decodeSafetensors(nanochatFile).arrays);
    const tied = { n_kv_head: 2, head_dim: 8, rope_theta: 1000, tied_head: true, logit_cap: 4, norm_epsilon: 1e-5 };
    expect(readLlamaFixture('nanochat-tied').config.modern).toMatchObject(tied);
    const unbounded = read(edited({ final_logit_softcapping: null }, nanochatText), nanochatFile);
    expect(unbounded.config.modern).toMatchObject({ logit_cap: null });
  });

  it('with numbers of another type is refused', () => {
    const header = Buffer.from('{"model.norm.weight":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}}');
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    const fault = faultOf(() => read(configText, Buffer.concat([length, header, Buffer.alloc(4)])));
    expect(fault.message).toMatch(/model\.norm\.weight is I32/);
  });
});

describe('a model that Verisim exports', () => {
  it.each([...llamaNames, ...nanochatNames])('is read back as it was: %s', (name) => {
    const { config, weights } = readLlamaFixture(name);
    const files = writeHuggingFaceModel(config, weights, { bos: 7, eos: 7, pad: null, addBos: false });
    const back = read(files['config.json'], Buffer.concat([...files['model.safetensors']]));
    expect(back).toEqual({ config, weights, notes: [] });
    const type = name.startsWith('qwen') ? name : name.startsWith('nano') ? 'nanochat' : 'llama';
    const settings = JSON.parse(files['config.json']) as unknown;
    expect(settings).toMatchObject({ model_type: type, eos_token_id: 7, max_position_embeddings: 128 });
  });

  it('has the original context, not the one used here', () => {
    const config: GPTConfig = { ...tinyLlama, block_size: 16 };
    const settings: unknown = JSON.parse(writeHuggingFaceModel(config, initialWeights(config, 1))['config.json']);
    expect(settings).toMatchObject({ max_position_embeddings: 64, rope_scaling: null, eos_token_id: null });
  });

  it('of NanoChat has a decimal point in its bound, and no padding token', () => {
    const weights = initialWeights(tinyModern, 1);
    const files = writeHuggingFaceModel(tinyModern, weights);
    expect(JSON.parse(files['config.json'])).toMatchObject({
      ...{ model_type: 'nanochat', head_dim: 8, intermediate_size: 64, final_logit_softcapping: 15 },
      ...{ max_position_embeddings: 16, pad_token_id: null, bos_token_id: null },
    });
    // transformers takes no whole number there.
    expect(files['config.json']).toMatch(/"final_logit_softcapping": 15\.0,\n/);
    const back = read(files['config.json'], Buffer.concat([...files['model.safetensors']]));
    expect(back.weights).toEqual(weights);
    expect(back.config).toMatchObject({ architecture: 'modern', block_size: 16, n_embd: 16 });
  });
});
