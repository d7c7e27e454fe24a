// GGUF's names, settings and order of rows for Llama's family against the Python package's and the converter's
// (make_fixtures.py), and a model there and back.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ggufOf } from '../../../main/formats/gguf/gguf-export.js';
import { readGgufModel } from '../../../main/formats/gguf/gguf-model.js';
import { reordered, toGgufName, toHuggingFaceName } from '../../../main/formats/gguf/gguf-names.js';
import { llama3Factors, llama3Scaling } from '../../../main/formats/gguf/gguf-rope.js';
import { encodeGguf, type TypedValue } from '../../../main/formats/gguf/gguf-write.js';
import { openGguf } from '../../../main/formats/gguf/gguf.js';
import type { Json } from '../../../main/engine/types.js';
import { encodeSafetensors, openSafetensors } from '../../../main/formats/safetensors.js';
import { sourceOf } from './places.js';
import { faultOf } from '../../storage/fault-of.js';

const facts = JSON.parse(readFileSync(new URL('fixtures/gguf.json', import.meta.url), 'utf8')) as {
  readonly names: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly permuted: { readonly heads: number; readonly rows: number[]; readonly in_turns: number[] };
  readonly llama3: { readonly base: number; readonly factor: number; readonly factors: number[] };
};

describe('names', () => {
  it.each(Object.keys(facts.names))('of %s are those of the Python package, both ways', (architecture) => {
    const names = Object.entries(facts.names[architecture] ?? {});
    expect(names.length).toBeGreaterThan(20);
    expect(names.map(([name]) => [name, toGgufName(name)])).toEqual(names);
    expect(names.map(([, other]) => [toHuggingFaceName(other), other])).toEqual(names);
  });

  it('that the family does not have are none', () => {
    expect(
      ['constructor', 'blk.0.constructor.weight', 'blk.00.attn_q.weight', 'v.blk.0.attn_q.weight'].map(
        toHuggingFaceName,
      ),
    ).toEqual([null, null, null, null]);
    expect(toGgufName('model.layers.0.mlp.experts.0.up_proj.weight')).toBeNull();
  });
});

describe('rows of queries and keys', () => {
  const { heads, rows, in_turns } = facts.permuted;
  it('are in turns as the converter writes them, and back', () => {
    expect([...reordered(Float32Array.from(rows), 12, heads, 'turns')]).toEqual(in_turns);
    expect([...reordered(Float32Array.from(in_turns), 12, heads, 'halves')]).toEqual(rows);
  });
});

describe("Llama 3's positions", () => {
  const { base, factor, factors } = facts.llama3;
  it('have the factors that the converter writes, from which the settings are found again', () => {
    llama3Factors(factors.length, base, factor).forEach((value, i) =>
      expect(value / (factors[i] ?? NaN)).toBeCloseTo(1, 5),
    );
    expect(llama3Scaling(factors, base)).toEqual({
      rope_type: 'llama3',
      factor,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    });
    expect(llama3Scaling(factors.with(20, 5), base)).toBeNull();
  });
});

const config = {
  model_type: 'llama',
  architectures: ['LlamaForCausalLM'],
  vocab_size: 6,
  hidden_size: 8,
  head_dim: 4,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  num_hidden_layers: 1,
  intermediate_size: 12,
  max_position_embeddings: 64,
  rms_norm_eps: 1e-5,
  rope_theta: 100000,
  rope_scaling: null,
  hidden_act: 'silu',
  tie_word_embeddings: true,
  attention_bias: false,
  bos_token_id: 1,
  eos_token_id: null,
} satisfies Readonly<Record<string, Json>>;
const shapes: Readonly<Record<string, readonly number[]>> = {
  'model.embed_tokens.weight': [6, 8],
  'model.norm.weight': [8],
  'model.layers.0.input_layernorm.weight': [8],
  'model.layers.0.self_attn.q_proj.weight': [8, 8],
  'model.layers.0.self_attn.k_proj.weight': [4, 8],
  'model.layers.0.mlp.up_proj.weight': [12, 8],
};
// Whole numbers below 2048 are the same in float16.
const arrays = Object.fromEntries(
  Object.entries(shapes).map(([name, shape], place) => {
    const length = shape.reduce((product, size) => product * size, 1);
    return [name, { shape, data: Float32Array.from({ length }, (_, i) => 100 * place + i) }];
  }),
);
const source = openSafetensors(Buffer.concat([...encodeSafetensors(arrays)]));
const tokenizer = {
  size: 6,
  metadata: new Map<string, TypedValue>([['tokenizer.ggml.bos_token_id', { type: 'u32', value: 1 }]]),
};

function written(changes: Readonly<Record<string, Json>> = {}) {
  const { metadata, tensors } = ggufOf({ ...config, ...changes }, source, tokenizer, { name: 'tiny', form: 'F16' });
  return openGguf(sourceOf(Buffer.concat([...encodeGguf(metadata, tensors)])), 'tiny.gguf');
}

describe('a model as GGUF and back', () => {
  it.each(['llama', 'qwen2', 'qwen3'])('%s has the same settings and numbers', (model_type) => {
    const file = written({ model_type });
    const model = readGgufModel(file, 'tiny.gguf');
    expect(model.config).toEqual({ ...config, model_type, architectures: [expect.stringMatching(/ForCausalLM$/)] });
    expect([...model.tensors.tensors.keys()].sort()).toEqual(Object.keys(shapes).sort());
    for (const [name, { data }] of Object.entries(arrays))
      expect([name, model.tensors.read(name)]).toEqual([name, data]);
    // The file's own rows of queries are in turns for llama alone.
    const queries = [...file.read('blk.0.attn_q.weight')].map((value) => (value - 300) / 8).filter(Number.isInteger);
    expect(queries).toEqual(model_type === 'llama' ? [0, 2, 1, 3, 4, 6, 5, 7] : [0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    { rope_type: 'linear', factor: 4 },
    {
      rope_type: 'llama3',
      factor: 32,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    },
  ])('has the same scaling of positions: $rope_type', (rope_scaling) => {
    // Of a tiny head's two frequencies, one must be slow enough to be stretched at all.
    const { config: read } = readGgufModel(written({ rope_scaling, rope_theta: 1e12 }), 'tiny.gguf');
    expect(read).toMatchObject({ rope_scaling });
  });
});

it('reads the bytes of a tensor at once, and converts its numbers at each use', () => {
  const { metadata, tensors } = ggufOf(config, source, tokenizer, { name: 'tiny', form: 'F16' });
  const bytes = Buffer.concat([...encodeGguf(metadata, tensors)]);
  const { tensors: model } = readGgufModel(openGguf(sourceOf(bytes), 'tiny.gguf'), 'tiny.gguf');
  const taken = Object.keys(arrays).map((name) => [name, model.take(name)] as const);
  bytes.fill(0);
  for (const [name, numbers] of taken) {
    expect([name, numbers()]).toEqual([name, arrays[name]?.data]);
    expect(numbers().buffer).not.toBe(numbers().buffer);
  }
});

describe('a model that is refused', () => {
  const fault = (
    metadata: readonly (readonly [string, TypedValue])[],
    tensors: readonly string[] = ['token_embd.weight'],
  ) => {
    const { metadata: usual } = ggufOf(config, source, tokenizer, { name: 'tiny', form: 'F16' });
    const data = new Float32Array(64);
    const entries = tensors.map((name) => ({ name, shape: [8, 8], form: 'F32' as const, read: () => data }));
    const bytes = Buffer.concat([...encodeGguf(new Map([...usual, ...metadata]), entries)]);
    return faultOf(() => readGgufModel(openGguf(sourceOf(bytes)), 'tiny.gguf')).message;
  };
  it('has its reason named', () => {
    expect(fault([['general.architecture', { type: 'string', value: 'mamba' }]])).toBe(
      'tiny.gguf cannot be used: its architecture is "mamba"',
    );
    expect(fault([['llama.expert_count', { type: 'u32', value: 8 }]])).toMatch(/mixture of experts/);
    expect(fault([['llama.rope.dimension_count', { type: 'u32', value: 2 }]])).toMatch(
      /dimension_count is 2, but a head has 4/,
    );
    expect(fault([['llama.attention.head_count', { type: 'u32', value: 0 }]])).toMatch(/head_count cannot be "0"/);
    expect(fault([['llama.block_count', { type: 'strings', value: ['1'] }]])).toMatch(/block_count cannot be "1"/);
    expect(fault([], [])).toMatch(/token_embd.weight is missing/);
    expect(fault([], ['token_embd.weight', 'blk.0.ffn_gate_inp.weight'])).toMatch(/"blk.0.ffn_gate_inp.weight"/);
    expect(fault([], ['token_embd.weight', 'blk.0.attn_k.weight'])).toMatch(/has 8 rows, not 1 heads of 4/);
  });
});
