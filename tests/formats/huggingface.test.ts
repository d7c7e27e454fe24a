// A GPT-2 folder that transformers wrote (tests/parity/make_foreign.py), and the one that Verisim writes.
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { readHuggingFaceModel, writeHuggingFaceModel } from '../../main/formats/huggingface.js';
import { TANH_DIFFERENCE } from '../../main/formats/huggingface-gpt2.js';
import { initialWeights } from '../../main/engine/model/model.js';
import { decodeSafetensors, encodeSafetensors, openSafetensors } from '../../main/formats/safetensors.js';
import type { HostArray, NamedArrays } from '../../main/engine/types.js';
import { relativeError } from '../parity/fixture.js';
import { flat, foreignFacts, outputOf, readForeign, tensorHashes } from '../parity/foreign.js';
import { faultOf } from '../storage/fault-of.js';
import { tinyModel } from '../support/engine.js';
import { inEnglish } from '../support/messages.js';

const facts = foreignFacts('gpt2');
const configText = readForeign('gpt2/config.json').toString('utf8');
const weightsFile = readForeign('gpt2/model.safetensors');
const read = (config: string, weights: Uint8Array) =>
  readHuggingFaceModel(config, openSafetensors(weights, 'model.safetensors'), 'gpt2');
const edited = (changes: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...(JSON.parse(configText) as object), ...changes });
const bytesOf = (arrays: NamedArrays): Uint8Array => Buffer.concat([...encodeSafetensors(arrays)]);
/** The same file with two bytes a number: the upper halves. */
function inBfloat16(arrays: NamedArrays): Uint8Array {
  let end = 0;
  const header: Record<string, object> = {};
  const data = Object.entries(arrays).map(([name, { shape, data }]) => {
    const halves = Uint16Array.from(new Uint32Array(data.slice().buffer), (bits) => bits >>> 16);
    header[name] = { dtype: 'BF16', shape, data_offsets: [end, (end += halves.byteLength)] };
    return Buffer.from(halves.buffer);
  });
  const text = Buffer.from(JSON.stringify(header));
  return Buffer.concat([new Uint8Array(BigUint64Array.of(BigInt(text.length)).buffer), text, ...data]);
}

describe('a model that transformers saved', () => {
  const model = read(configText, weightsFile);
  const arrays = decodeSafetensors(weightsFile).arrays;

  it('has its shape and its numbers, the linear layers transposed', () => {
    const { reward_head_hidden_dim: _, ...config } = facts.config;
    expect(model.config).toMatchObject(config);
    expect(tensorHashes(model.weights)).toEqual(facts.tensors);
  });

  it('computes what transformers computes with exact GELU, and reports that it was trained with another', async () => {
    const output = await outputOf(model.config, model.weights, facts.ids);
    expect(relativeError(output, flat(facts.output))).toBeLessThan(1e-5);
    const asTrained = relativeError(output, flat(facts.output_gelu_new ?? []));
    expect(asTrained).toBeGreaterThan(1e-4);
    expect(asTrained).toBeLessThan(1e-3);
    expect(model.notes.map(inEnglish)).toEqual([expect.stringMatching(/trained with gelu_new.*at most 4\.8e-4/)]);
    expect(read(edited({ activation_function: 'gelu' }), weightsFile).notes).toEqual([]);
  });

  it('is the same without the prefix, with its mask buffers, and with the tied output layer saved too', () => {
    const without = Object.entries(arrays).map(([name, array]) => [name.replace(/^transformer\./, ''), array] as const);
    const mask: HostArray = { shape: [1, 1, 8, 8], data: new Float32Array(64) };
    const head = arrays['transformer.wte.weight'];
    const variants = [
      Object.fromEntries(without),
      { ...arrays, 'transformer.h.0.attn.bias': mask, 'transformer.h.1.attn.masked_bias': mask },
      { ...arrays, ...(head && { 'lm_head.weight': head }) },
    ];
    for (const variant of variants) expect(read(configText, bytesOf(variant)).weights).toEqual(model.weights);
  });

  it.each([
    ['torch.compile', (name: string) => `_orig_mod.${name}`],
    ['DataParallel of it', (name: string) => `module._orig_mod.${name}`],
    ['FSDP', (name: string) => `_fsdp_wrapped_module.${name.replace('.attn.', '._fsdp_wrapped_module.attn.')}`],
    ['checkpointing', (name: string) => name.replace('.mlp.', '._checkpoint_wrapped_module.mlp.')],
    ['a module that holds it', (name: string) => `model.${name}`],
    ['peft', (name: string) => `base_model.model.${name}`],
    ['nothing, without the head', (name: string) => name.replace('transformer.', '')],
  ])('is the same under the names of %s', (_, wrap) => {
    const renamed = Object.fromEntries(Object.entries(arrays).map(([name, array]) => [wrap(name), array]));
    expect(tensorHashes(read(configText, bytesOf(renamed)).weights)).toEqual(facts.tensors);
  });

  it('is refused if two names become one', () => {
    const [name = '', array] = Object.entries(arrays)[0] ?? [];
    if (!array) throw new Error('it has no tensors');
    expect(faultOf(() => read(configText, bytesOf({ ...arrays, [`_orig_mod.${name}`]: array }))).message).toMatch(
      /twice/,
    );
  });

  it('of 16 bits stays as small in memory as it is in the file, and has its numbers', () => {
    const { weights } = read(configText, inBfloat16(arrays));
    const halved = decodeSafetensors(inBfloat16(arrays)).arrays;
    expect(weights).toEqual(read(configText, bytesOf(halved)).weights);
    // Numbers that are converted at each use are not held in memory.
    for (const [name, array] of Object.entries(weights)) expect(array.data, name).not.toBe(array.data);
  });

  it('a separate output layer is refused', () => {
    const head = { shape: [11, 12], data: new Float32Array(132) };
    const fault = faultOf(() => read(configText, bytesOf({ ...arrays, 'lm_head.weight': head })));
    expect(fault).toMatchObject({
      code: 'checkpoint',
      message: expect.stringMatching(/lm_head\.weight is not/) as unknown,
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    ['another family', { model_type: 'mamba' }, /model_type "mamba", which Verisim does not compute/],
    ['one without its family', { model_type: undefined }, /lacks a model_type/],
    ['one without its depth', { n_layer: undefined }, /in its config\.json, n_layer is missing$/],
    ['another activation', { activation_function: 'relu' }, /activation_function/],
    ['another layer norm', { layer_norm_epsilon: 1e-6 }, /layer_norm_epsilon/],
    ['another inner width', { n_inner: 24 }, /n_inner is 24/],
    ['attention scaled by layer', { scale_attn_by_inverse_layer_idx: true }, /scale_attn_by_inverse_layer_idx/],
    ['attention not scaled', { scale_attn_weights: false }, /scale_attn_weights/],
    ['a layer more', { n_layer: 3 }, /tensor transformer\.h\.2\.ln_1\.weight \[12\] is missing/],
    ['a layer less', { n_layer: 1 }, /the model has no tensor transformer\.h\.1\./],
    ['heads that do not divide the width', { n_head: 5 }, /must be divisible/],
    ['a width beyond all', { n_embd: 1e12 }, /n_embd/],
    ['a vocabulary that is a text', { vocab_size: '11' }, /vocab_size/],
  ])('%s is refused', (_, changes, message) => {
    const fault = faultOf(() => read(edited(changes), weightsFile));
    expect(fault).toMatchObject({ code: 'checkpoint', message: expect.stringMatching(message) as unknown });
  });

  it('is refused when its config.json is not JSON', () => {
    expect(faultOf(() => read('{', weightsFile)).message).toMatch(/config\.json is not JSON/);
  });

  it('reports when three dropouts become one', () => {
    const { config, notes } = read(edited({ attn_pdrop: 0.2, activation_function: 'gelu' }), weightsFile);
    expect(config.dropout).toBe(0.1);
    expect(notes.map(inEnglish)).toEqual([expect.stringMatching(/resid_pdrop \(0\.1\) is used for all/)]);
  });
});

it('the tanh approximation differs from exact GELU by the stated bound, and hardly less', () => {
  const x = Float32Array.from({ length: 20001 }, (_, i) => (i - 10000) / 1000);
  const phi = tf.tidy(() => tf.erf(tf.mul(tf.tensor1d(x), Math.SQRT1_2)).dataSync());
  const differences = x.map((value, i) => {
    const exact = 0.5 * value * (1 + (phi[i] ?? NaN));
    const approximate = 0.5 * value * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (value + 0.044715 * value ** 3)));
    return Math.abs(exact - approximate);
  });
  expect(Math.max(...differences)).toBeLessThan(TANH_DIFFERENCE);
  expect(Math.max(...differences)).toBeGreaterThan(TANH_DIFFERENCE - 2e-5);
});

describe('a model that Verisim exports', () => {
  it.each([true, false])('is read back as it was (biases: %s)', (bias) => {
    const config = { ...tinyModel, bias, dropout: 0.1 };
    const weights = initialWeights(config, 3);
    const files = writeHuggingFaceModel(config, weights);
    const back = read(files['config.json'], Buffer.concat([...files['model.safetensors']]));
    expect(back.notes).toEqual([]);
    const { reward_head_hidden_dim: _, ...network } = config;
    expect(back.config).toMatchObject({ ...network, bias: true });
    for (const [name, array] of Object.entries(back.weights)) {
      const expected = weights[name]?.data ?? new Float32Array(array.data.length);
      expect(array.data, name).toEqual(expected);
    }
  });

  it('names its activation, its tied output layer and the end of a text', () => {
    const settings = (endOfText: number | null) =>
      JSON.parse(
        writeHuggingFaceModel(tinyModel, initialWeights(tinyModel, 1), {
          bos: endOfText,
          eos: endOfText,
          pad: null,
          addBos: false,
        })['config.json'],
      ) as unknown;
    expect(settings(50256)).toMatchObject({
      activation_function: 'gelu',
      tie_word_embeddings: true,
      eos_token_id: 50256,
    });
    expect(settings(null)).toMatchObject({ eos_token_id: null, n_positions: 16, vocab_size: 8 });
  });
});
