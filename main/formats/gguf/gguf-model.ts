/**
 * A GGUF model of Llama's family as what a Hugging Face folder holds: its config.json, and its tensors under their
 * names and in their order, so that both sources are imported by the same code; and back, for export. (Keys: gguf-py's
 * constants.py.)
 */
import type { Json } from '../../engine/types.js';
import { notUsable } from '../foreign-weights.js';
import type { OpenSafetensors } from '../safetensors.js';
import { quoted } from '../shorten.js';
import { rowsInHalves, rowsInTurns, rowsOf, toGgufName, toHuggingFaceName } from './gguf-names.js';
import { llama3Factors, llama3Scaling } from './gguf-rope.js';
import type { GgufMetadata } from './gguf-types.js';
import { formFor, type TensorToWrite, type TypedValue } from './gguf-write.js';
import type { OpenGguf } from './gguf.js';

/** What llama.cpp calls an architecture, and what transformers does. */
const architectures = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' } as const;
type Architecture = keyof typeof architectures;
const isArchitecture = (name: unknown): name is Architecture =>
  typeof name === 'string' && Object.hasOwn(architectures, name);

export interface GgufModel {
  /** What its config.json would say; `model_type` is `llama`, `qwen2` or `qwen3`. */
  readonly config: Readonly<Record<string, Json>>;
  /** Under Hugging Face's names. Every tensor is read as float32, and says so, whatever its form in the file. */
  readonly tensors: OpenSafetensors;
}

const HINT = `Use a model of one of these architectures: ${Object.keys(architectures).join(', ')}.`;
const ANOTHER = 'Use another copy of the model.';
/** What each frequency of Llama 3's rotary positions is divided by. */
const FACTORS = 'rope_freqs.weight';

/**
 * @param what the file, for messages
 * @throws UserError `checkpoint` when the model is not of a supported architecture, or a setting or tensor is missing or
 *   impossible; whether the tensors are all there and fit the settings is for the importer to see
 */
export function readGgufModel(file: OpenGguf, what: string): GgufModel {
  const architecture = file.metadata.get('general.architecture');
  if (!isArchitecture(architecture)) {
    const has = typeof architecture === 'string' ? `its architecture is ${quoted(architecture)}` : 'it names none';
    throw notUsable(what, has, HINT);
  }
  const heads = headsOf(file.metadata, architecture, what);
  return {
    config: configOf(file, architecture, heads, what),
    tensors: renamed(file, architecture === 'llama' ? heads : null, what),
  };
}

interface Heads {
  readonly queries: number;
  readonly keys: number;
  /** Rows of one head. */
  readonly size: number;
  /** The model's width. */
  readonly width: number;
}

/** A number of the metadata; `otherwise` where the file leaves it out, and it is refused without one. */
function numberOf(metadata: GgufMetadata, key: string, what: string, otherwise?: number): number {
  const value = metadata.get(key) ?? otherwise;
  if (value === undefined) throw notUsable(what, `it does not say its ${key}`, ANOTHER);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw notUsable(what, `its ${key} is not one number`, HINT);
}

function headsOf(metadata: GgufMetadata, architecture: Architecture, what: string): Heads {
  const count = (key: string, otherwise?: number): number => {
    const value = numberOf(metadata, `${architecture}.${key}`, what, otherwise);
    if (Number.isInteger(value) && value >= 1 && value <= 1 << 20) return value;
    throw notUsable(what, `its ${architecture}.${key} cannot be ${value}`, ANOTHER);
  };
  const width = count('embedding_length');
  const queries = count('attention.head_count');
  const size = count('attention.key_length', width / queries);
  for (const key of ['attention.value_length', 'rope.dimension_count']) {
    const other = count(key, size);
    if (other !== size) throw notUsable(what, `its ${architecture}.${key} is ${other}, but a head has ${size}`, HINT);
  }
  return { queries, keys: count('attention.head_count_kv', queries), size, width };
}

function configOf(file: OpenGguf, architecture: Architecture, heads: Heads, what: string): GgufModel['config'] {
  const { metadata, tensors } = file;
  const number = (key: string, otherwise?: number) => numberOf(metadata, `${architecture}.${key}`, what, otherwise);
  if (number('expert_count', 0) > 0) throw notUsable(what, 'it is a mixture of experts', HINT);
  const vocabulary = tensors.get('token_embd.weight')?.shape[0];
  if (vocabulary === undefined) throw notUsable(what, 'it has no token_embd.weight', ANOTHER);
  const token = (name: string): number | null => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    return typeof id === 'number' && id < vocabulary ? id : null;
  };
  const base = number('rope.freq_base', 10000);
  return {
    model_type: architecture,
    architectures: [architectures[architecture]],
    vocab_size: vocabulary,
    hidden_size: heads.width,
    head_dim: heads.size,
    num_attention_heads: heads.queries,
    num_key_value_heads: heads.keys,
    num_hidden_layers: number('block_count'),
    intermediate_size: number('feed_forward_length'),
    max_position_embeddings: number('context_length'),
    rms_norm_eps: epsilonOf(number('attention.layer_norm_rms_epsilon')),
    rope_theta: base,
    rope_scaling: scalingOf(file, architecture, heads.size, base, what),
    hidden_act: 'silu',
    tie_word_embeddings: !tensors.has('output.weight'),
    attention_bias: tensors.has('blk.0.attn_q.bias'),
    bos_token_id: token('bos'),
    eos_token_id: token('eos'),
  };
}

/** The short number of which the file has the float32: 1e-5 for 0.000009999999747. */
const epsilonOf = (value: number): number => Number(value.toPrecision(7));

function scalingOf(
  { metadata, tensors, read }: OpenGguf,
  architecture: Architecture,
  size: number,
  base: number,
  what: string,
): GgufModel['config'] | null {
  if (tensors.has(FACTORS)) {
    const { shape } = tensors.get(FACTORS) ?? {};
    const scaling = String(shape) === String([size / 2]) ? llama3Scaling(read(FACTORS), base) : null;
    if (scaling !== null) return scaling;
    throw notUsable(what, `its ${FACTORS} are not those of Llama 3.1 or 3.2`, HINT);
  }
  const key = `${architecture}.rope.scaling`;
  const type = metadata.get(`${key}.type`) ?? 'none';
  if (type === 'none') return null;
  const length = metadata.get(`${key}.original_context_length`);
  return {
    rope_type: typeof type === 'string' ? type : 'unknown',
    factor: numberOf(metadata, `${key}.factor`, what, 1),
    ...(typeof length === 'number' ? { original_max_position_embeddings: length } : {}),
  };
}

/** @param inTurns the heads of a model whose rows of queries and keys stand in turns, or null */
function renamed(file: OpenGguf, inTurns: Heads | null, what: string): OpenSafetensors {
  const theirs = new Map<string, string>();
  const tensors = new Map<string, { readonly shape: readonly number[]; readonly dtype: 'F32' }>();
  for (const [name, { shape }] of file.tensors) {
    if (name === FACTORS) continue;
    const ours = toHuggingFaceName(name);
    if (ours === null) throw notUsable(what, `it has a tensor ${quoted(name)}, which Llama's family has not`, HINT);
    const heads = headsIn(ours, inTurns);
    if (heads > 0 && inTurns && shape[0] !== heads * inTurns.size) {
      throw notUsable(what, `${quoted(name)} has ${shape[0]} rows, not ${heads} heads of ${inTurns.size}`, ANOTHER);
    }
    theirs.set(ours, name);
    tensors.set(ours, { shape, dtype: 'F32' });
  }
  return {
    tensors,
    metadata: {},
    read(name) {
      const data = file.read(theirs.get(name) ?? name);
      const heads = headsIn(name, inTurns);
      return heads > 0 ? rowsInHalves(data, tensors.get(name)?.shape[0] ?? 0, heads) : data;
    },
  };
}

/** How many heads the rows of a tensor belong to, whose order must change; 0 for all others. */
function headsIn(name: string, heads: Pick<Heads, 'queries' | 'keys'> | null): number {
  const rows = rowsOf(name);
  return heads === null || rows === 'none' ? 0 : heads[rows];
}

export interface GgufToWrite {
  readonly metadata: ReadonlyMap<string, TypedValue>;
  readonly tensors: readonly TensorToWrite[];
}

/**
 * What `encodeGguf` writes for a model of Llama's family that is given as Hugging Face has it.
 * @param config as in config.json: `model_type` llama, qwen2 or qwen3
 * @param tokenizer the metadata of its tokenizer
 * @throws UserError `checkpoint` for a model that the format has no place for
 */
export function ggufOf(
  config: GgufModel['config'],
  source: Pick<OpenSafetensors, 'tensors' | 'read'>,
  tokenizer: ReadonlyMap<string, TypedValue>,
  { name, form }: { readonly name: string; readonly form: 'F16' | 'Q8_0' },
): GgufToWrite {
  const architecture = config['model_type'];
  if (!isArchitecture(architecture)) throw notUsable(name, `its model_type is ${String(architecture)}`, HINT);
  const queries = Number(config['num_attention_heads']);
  const heads = { queries, keys: Number(config['num_key_value_heads'] ?? queries) };
  const inTurns = architecture === 'llama' ? heads : null;
  const tensors = [...source.tensors].map(([ours, { shape }]): TensorToWrite => {
    const theirs = toGgufName(ours);
    if (theirs === null) throw notUsable(name, `GGUF has no name for its tensor ${quoted(ours)}`, HINT);
    const turned = headsIn(ours, inTurns);
    const read = () => (turned > 0 ? rowsInTurns(source.read(ours), shape[0] ?? 0, turned) : source.read(ours));
    return { name: theirs, shape, form: formFor({ shape }, form), read };
  });
  const factors = factorsOf(config);
  return {
    metadata: new Map([...settingsOf(config, architecture, { name, form, ...heads }), ...tokenizer]),
    tensors: factors === null ? tensors : [factors, ...tensors],
  };
}

/** llama.cpp's numbers for "mostly of this form". */
const fileTypes = { F16: 1, Q8_0: 7 } as const;

function settingsOf(
  config: GgufModel['config'],
  architecture: Architecture,
  {
    name,
    form,
    queries,
    keys,
  }: { readonly name: string; readonly form: 'F16' | 'Q8_0'; readonly queries: number; readonly keys: number },
): [string, TypedValue][] {
  const u32 = (key: string, value: unknown): [string, TypedValue] => [
    `${architecture}.${key}`,
    { type: 'u32', value: Number(value) },
  ];
  const f32 = (key: string, value: unknown): [string, TypedValue] => [
    `${architecture}.${key}`,
    { type: 'f32', value: Number(value) },
  ];
  const size = Number(config['head_dim'] ?? Number(config['hidden_size']) / queries);
  return [
    ['general.architecture', { type: 'string', value: architecture }],
    ['general.type', { type: 'string', value: 'model' }],
    ['general.name', { type: 'string', value: name }],
    ['general.file_type', { type: 'u32', value: fileTypes[form] }],
    ['general.quantization_version', { type: 'u32', value: 2 }],
    u32('block_count', config['num_hidden_layers']),
    u32('context_length', config['max_position_embeddings']),
    u32('embedding_length', config['hidden_size']),
    u32('feed_forward_length', config['intermediate_size']),
    u32('attention.head_count', queries),
    u32('attention.head_count_kv', keys),
    u32('attention.key_length', size),
    u32('attention.value_length', size),
    u32('rope.dimension_count', size),
    u32('vocab_size', config['vocab_size']),
    f32('attention.layer_norm_rms_epsilon', config['rms_norm_eps']),
    f32('rope.freq_base', config['rope_theta'] ?? 10000),
    ...linearScaling(config['rope_scaling']).map(([key, value]): [string, TypedValue] => [
      `${architecture}.rope.scaling.${key}`,
      value,
    ]),
  ];
}

const field = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)[name]
    : undefined;

function linearScaling(scaling: Json | undefined): [string, TypedValue][] {
  if (field(scaling, 'rope_type') !== 'linear') return [];
  return [
    ['type', { type: 'string', value: 'linear' }],
    ['factor', { type: 'f32', value: Number(field(scaling, 'factor')) }],
  ];
}

/** Llama 3's way of stretching its positions, which the format keeps as a tensor. */
function factorsOf(config: GgufModel['config']): TensorToWrite | null {
  const scaling = config['rope_scaling'];
  if (field(scaling, 'rope_type') !== 'llama3') return null;
  const size = Number(config['head_dim'] ?? Number(config['hidden_size']) / Number(config['num_attention_heads'])) / 2;
  const factors = llama3Factors(size, Number(config['rope_theta']), Number(field(scaling, 'factor')));
  return { name: FACTORS, shape: [size], form: 'F32', read: () => Float32Array.from(factors) };
}
