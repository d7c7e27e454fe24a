/** Converts a model of Llama's family or a GPT-2 to what `encodeGguf` writes. (llama.cpp's convert_hf_to_gguf.py) */
import { elements } from '../../../shared/architectures/index.js';
import { localized } from '../../../shared/messages/message.js';
import type { Json } from '../../engine/types.js';
import { notUsable } from '../faults.js';
import type { OpenSafetensors } from '../safetensors.js';
import { quoted } from '../shorten.js';
import { gpt2GgufName, headsIn, reordered, toGgufName } from './gguf-names.js';
import { FACTORS, llama3Factors } from './gguf-rope.js';
import type { Vocabulary } from './gguf-vocabulary.js';
import { formFor, type TensorToWrite, type TypedValue } from './gguf-write.js';

interface GgufToWrite {
  readonly metadata: ReadonlyMap<string, TypedValue>;
  readonly tensors: readonly TensorToWrite[];
}

export interface GgufOptions {
  readonly name: string;
  readonly form: 'F16' | 'Q8_0';
}

type Settings = Readonly<Record<string, Json>>;
type Source = Pick<OpenSafetensors, 'tensors' | 'read'>;

interface Family {
  /** llama.cpp's name of the architecture's tensor, or null. */
  nameOf(ours: string): string | null;
  readFrom(source: Source, settings: Settings): (ours: string) => Float32Array;
  settings(settings: Settings): readonly [string, TypedValue][];
  tensors(settings: Settings): readonly TensorToWrite[];
}

/** By `model_type`, which is llama.cpp's name of the architecture too. */
const families: Readonly<Record<string, Family>> = { gpt2: gpt2(), llama: llama(true), qwen2: llama(), qwen3: llama() };

/** Converts a model; embeddings get as many rows as the vocabulary has tokens. @throws UserError `checkpoint` */
export function ggufOf(config: Settings, source: Source, vocabulary: Vocabulary, options: GgufOptions): GgufToWrite {
  const { name, form } = options;
  const architecture = String(config['model_type']);
  const family = Object.hasOwn(families, architecture) ? families[architecture] : undefined;
  if (family === undefined) {
    const hint = localized('gguf.noArchitecture.hint', { known: Object.keys(families).join(', ') });
    throw notUsable(name, localized('gguf.noArchitecture', { name: quoted(architecture) }), hint);
  }
  const read = family.readFrom(source, config);
  const tensors = [...source.tensors].map(([ours, { shape: whole }]): TensorToWrite => {
    const theirs = family.nameOf(ours);
    if (theirs === null)
      throw notUsable(name, localized('gguf.noTensorName', { name: quoted(ours) }), localized('gguf.export.hint'));
    const [rows = 0, ...rest] = whole;
    const isByToken = theirs === 'token_embd.weight' || theirs === 'output.weight';
    const shape = isByToken ? [Math.min(rows, vocabulary.size), ...rest] : whole;
    const count = elements(shape);
    // llama.cpp adds positions to embeddings as they are in memory, float32.
    const own = theirs === 'position_embd.weight' ? 'F32' : formFor({ shape }, form);
    return { name: theirs, shape, form: own, read: () => read(ours).subarray(0, count) };
  });
  const general: [string, TypedValue][] = [
    ['general.architecture', { type: 'string', value: architecture }],
    ['general.type', { type: 'string', value: 'model' }],
    ['general.name', { type: 'string', value: name }],
    ['general.file_type', { type: 'u32', value: fileTypes[form] }],
    ['general.quantization_version', { type: 'u32', value: 2 }],
  ];
  const own = [['vocab_size', u32(vocabulary.size)] as const, ...family.settings(config)];
  const settings = own.map(([key, value]): [string, TypedValue] => [`${architecture}.${key}`, value]);
  return {
    metadata: new Map([...general, ...settings, ...vocabulary.metadata]),
    tensors: [...family.tensors(config), ...tensors],
  };
}

/** llama.cpp's numbers for "mostly of this form". */
const fileTypes = { F16: 1, Q8_0: 7 } as const;

const u32 = (value: unknown): TypedValue => ({ type: 'u32', value: Number(value) });
const f32 = (value: unknown): TypedValue => ({ type: 'f32', value: Number(value) });

function gpt2(): Family {
  return {
    nameOf: gpt2GgufName,
    readFrom: (source) => (ours) => source.read(ours),
    settings: (config) => [
      ['block_count', u32(config['n_layer'])],
      ['context_length', u32(config['n_positions'])],
      ['embedding_length', u32(config['n_embd'])],
      ['feed_forward_length', u32(4 * Number(config['n_embd']))],
      ['attention.head_count', u32(config['n_head'])],
      ['attention.layer_norm_epsilon', f32(config['layer_norm_epsilon'])],
    ],
    tensors: () => [],
  };
}

const headsOf = (config: Settings) => {
  const queries = Number(config['num_attention_heads']);
  const size = Number(config['head_dim'] ?? Number(config['hidden_size']) / queries);
  return { queries, keys: Number(config['num_key_value_heads'] ?? queries), size };
};

/** @param inTurns whether rows of queries and keys are in turns in the file */
function llama(inTurns = false): Family {
  return {
    nameOf: toGgufName,
    readFrom(source, config) {
      const heads = inTurns ? headsOf(config) : null;
      return (ours) => {
        const turned = headsIn(ours, heads);
        const rows = source.tensors.get(ours)?.shape[0] ?? 0;
        return turned > 0 ? reordered(source.read(ours), rows, turned, 'turns') : source.read(ours);
      };
    },
    settings: llamaSettings,
    tensors: factorsOf,
  };
}

function llamaSettings(config: Settings): [string, TypedValue][] {
  const { queries, keys, size } = headsOf(config);
  return [
    ['block_count', u32(config['num_hidden_layers'])],
    ['context_length', u32(config['max_position_embeddings'])],
    ['embedding_length', u32(config['hidden_size'])],
    ['feed_forward_length', u32(config['intermediate_size'])],
    ['attention.head_count', u32(queries)],
    ['attention.head_count_kv', u32(keys)],
    ['attention.key_length', u32(size)],
    ['attention.value_length', u32(size)],
    ['rope.dimension_count', u32(size)],
    ['attention.layer_norm_rms_epsilon', f32(config['rms_norm_eps'])],
    ['rope.freq_base', f32(config['rope_theta'] ?? 10000)],
    ...linearScaling(config['rope_scaling']),
  ];
}

const field = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)[name]
    : undefined;

function linearScaling(scaling: Json | undefined): [string, TypedValue][] {
  if (field(scaling, 'rope_type') !== 'linear') return [];
  return [
    ['rope.scaling.type', { type: 'string', value: 'linear' }],
    ['rope.scaling.factor', f32(field(scaling, 'factor'))],
  ];
}

/** Llama 3's scaling of positions, which the format stores as a tensor. */
function factorsOf(config: Settings): readonly TensorToWrite[] {
  const scaling = config['rope_scaling'];
  if (field(scaling, 'rope_type') !== 'llama3') return [];
  const count = headsOf(config).size / 2;
  const number = (name: string) => Number(field(scaling, name));
  const factors = llama3Factors(count, Number(config['rope_theta']), number('factor'), {
    low_freq_factor: number('low_freq_factor'),
    high_freq_factor: number('high_freq_factor'),
    original_max_position_embeddings: number('original_max_position_embeddings'),
  });
  return [{ name: FACTORS, shape: [count], form: 'F32', read: () => Float32Array.from(factors) }];
}
