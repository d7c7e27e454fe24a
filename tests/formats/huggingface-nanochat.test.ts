// Folders of NanoChat as transformers saves them (tests/parity/make_llama.py), and as Verisim saves the modern architecture.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialWeights } from '../../main/engine/model/model.js';
import { readHuggingFaceModel, writeHuggingFaceModel } from '../../main/formats/huggingface.js';
import { decodeSafetensors, openSafetensors } from '../../main/formats/safetensors.js';
import { llamaFolder, nanochatNames, readLlamaFixture } from '../parity/llama.js';
import { faultOf } from '../storage/fault-of.js';
import { tinyModern } from '../support/engine.js';

const file = (part: string) => readFileSync(join(llamaFolder('nanochat'), part));
const configText = file('config.json').toString('utf8');
const weightsFile = file('model.safetensors');
const read = (config: string, weights: Uint8Array = weightsFile) =>
  readHuggingFaceModel(config, openSafetensors(weights, 'model.safetensors'), 'the folder');
const edited = (changes: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...(JSON.parse(configText) as object), ...changes });

describe('a folder that transformers saved', () => {
  it('has its shape', () => {
    const shape = { n_kv_head: 4, head_dim: 4, n_inner: 24, rope_theta: 10000, tied_head: false, logit_cap: 15 };
    const { config, weights } = read(configText);
    expect(config).toMatchObject({ architecture: 'modern', n_layer: 2, n_head: 4, n_embd: 16, vocab_size: 53 });
    expect(config.modern).toEqual({ ...shape, norm_epsilon: 1e-6, max_positions: 128 });
    expect(weights).toEqual(decodeSafetensors(weightsFile).arrays);
    const tied = { n_kv_head: 2, head_dim: 8, rope_theta: 1000, tied_head: true, logit_cap: 4, norm_epsilon: 1e-5 };
    expect(readLlamaFixture('nanochat-tied').config.modern).toMatchObject(tied);
  });

  it('with scores as they are is read too', () => {
    expect(read(edited({ final_logit_softcapping: null })).config.modern).toMatchObject({ logit_cap: null });
  });

  it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['another activation', { hidden_act: 'gelu' }, /hidden_act cannot be "gelu"/],
    ['biases', { attention_bias: true }, /attention_bias cannot be true/],
    ['positions that are scaled', { rope_parameters: { rope_type: 'linear', factor: 4 } }, /scaled by "linear"/],
    ['a scaling that is not known', { rope_parameters: { rope_type: 'yarn' } }, /scaled by "yarn"/],
    ['heads that do not share evenly', { num_key_value_heads: 3 }, /must be divisible by n_kv_head/],
    ['numbers of few bits', { quantization_config: { bits: 4 } }, /quantization_config cannot be/],
    [
      'a layer more',
      { num_hidden_layers: 3 },
      /tensor model\.layers\.2\.self_attn\.q_proj\.weight \[16, 16\] is missing/,
    ],
    ['a bound of nothing', { final_logit_softcapping: 0 }, /logit_cap/],
  ])('%s is refused by name', (_, changes, message) => {
    const fault = faultOf(() => read(edited(changes)));
    expect(fault).toMatchObject({ code: 'checkpoint', message: expect.stringMatching(message) as unknown });
  });
});

describe('a model that Verisim exports', () => {
  it.each(nanochatNames)('is read back as it was: %s', (name) => {
    const { config, weights } = readLlamaFixture(name);
    const files = writeHuggingFaceModel(config, weights, { bos: 7, eos: 7, pad: null, addBos: false });
    expect(read(files['config.json'], Buffer.concat([...files['model.safetensors']]))).toEqual({
      config,
      weights,
      notes: [],
    });
  });

  it('that began from nothing says what it is made of, and that no token is there to pad', () => {
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
