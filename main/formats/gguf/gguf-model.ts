/** Presents a GGUF model as config.json and tensors of a Hugging Face folder. (Keys: gguf-py's constants.py) */
import { localized } from '../../../shared/messages/message.js';
import type { Json } from '../../engine/types.js';
import { notUsable } from '../faults.js';
import type { OpenSafetensors } from '../safetensors.js';
import { quoted } from '../shorten.js';
import { gpt2Name, headsIn, reordered, toHuggingFaceName } from './gguf-names.js';
import { FACTORS, llama3Scaling } from './gguf-rope.js';
import type { GgufMetadata } from './gguf-types.js';
import type { OpenGguf } from './gguf.js';

/** llama.cpp's names of architectures and transformers'. */
const architectures = {
  gpt2: 'GPT2LMHeadModel',
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
} as const;
type Architecture = keyof typeof architectures;
const isArchitecture = (name: unknown): name is Architecture =>
  typeof name === 'string' && Object.hasOwn(architectures, name);

interface GgufModel {
  /** Its config.json. */
  readonly config: Readonly<Record<string, Json>>;
  /** Under Hugging Face's names, as float32 regardless of the form in the file; GPT-2's linear weights are [out, in]. */
  readonly tensors: OpenSafetensors;
}

const ARCHITECTURE = 'general.architecture';
const HINT = localized('gguf.architecture.hint', { architectures: Object.keys(architectures).join(', ') });
const ANOTHER = localized('unfit.copy.hint');

/** Reads the settings; the importer checks the tensors. @throws UserError `checkpoint` naming what is not supported */
export function readGgufModel(file: OpenGguf, what: string): GgufModel {
  const architecture = file.metadata.get(ARCHITECTURE);
  if (architecture === undefined) throw notUsable(what, localized('damage.missing', { name: ARCHITECTURE }), ANOTHER);
  if (!isArchitecture(architecture)) {
    throw notUsable(what, localized('gguf.architecture', { name: quoted(String(architecture)) }), HINT);
  }
  const heads = headsOf(file.metadata, architecture, what);
  return {
    config: configOf(file, architecture, heads, what),
    tensors: renamed(file, architecture, heads, what),
  };
}

interface Heads {
  readonly queries: number;
  readonly keys: number;
  readonly size: number;
  readonly width: number;
}

/** Reads a number of the metadata. @param otherwise if the file omits it; without it, the file is refused */
function numberOf(metadata: GgufMetadata, key: string, what: string, otherwise?: number): number {
  const value = metadata.get(key) ?? otherwise;
  if (value === undefined) throw notUsable(what, localized('damage.missing', { name: key }), ANOTHER);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw impossible(key, value, what);
}

const impossible = (name: string, value: unknown, what: string) =>
  notUsable(what, localized('damage.value', { name, value: quoted(String(value), 20) }), ANOTHER);

function headsOf(metadata: GgufMetadata, architecture: Architecture, what: string): Heads {
  const count = (key: string, otherwise?: number): number => {
    const value = numberOf(metadata, `${architecture}.${key}`, what, otherwise);
    if (Number.isInteger(value) && value >= 1 && value <= 1 << 20) return value;
    throw impossible(`${architecture}.${key}`, value, what);
  };
  const width = count('embedding_length');
  const queries = count('attention.head_count');
  const size = count('attention.key_length', width / queries);
  for (const key of ['attention.value_length', 'rope.dimension_count']) {
    const other = count(key, size);
    if (other !== size)
      throw notUsable(what, localized('gguf.headSize', { name: `${architecture}.${key}`, value: other, size }), HINT);
  }
  return { queries, keys: count('attention.head_count_kv', queries), size, width };
}

function configOf(file: OpenGguf, architecture: Architecture, heads: Heads, what: string): GgufModel['config'] {
  const { metadata, tensors } = file;
  const number = (key: string, otherwise?: number) => numberOf(metadata, `${architecture}.${key}`, what, otherwise);
  if (number('expert_count', 0) > 0) throw notUsable(what, localized('gguf.experts'), HINT);
  const vocabulary = tensors.get('token_embd.weight')?.shape[0];
  if (vocabulary === undefined)
    throw notUsable(what, localized('damage.missing', { name: 'token_embd.weight' }), ANOTHER);
  const token = (name: string): number | null => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    return typeof id === 'number' && id < vocabulary ? id : null;
  };
  const common = {
    model_type: architecture,
    architectures: [architectures[architecture]],
    vocab_size: vocabulary,
    bos_token_id: token('bos'),
    eos_token_id: token('eos'),
  };
  if (architecture === 'gpt2') {
    return {
      ...common,
      n_embd: heads.width,
      n_head: heads.queries,
      n_layer: number('block_count'),
      n_inner: number('feed_forward_length'),
      n_positions: number('context_length'),
      layer_norm_epsilon: epsilonOf(number('attention.layer_norm_epsilon')),
      resid_pdrop: 0,
      embd_pdrop: 0,
      attn_pdrop: 0,
    };
  }
  const base = number('rope.freq_base', 10000);
  return {
    ...common,
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
  };
}

/** The short decimal of a float32: 1e-5 for 0.000009999999747. */
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
    throw notUsable(what, localized('gguf.factors', { name: FACTORS }), HINT);
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

function renamed(file: OpenGguf, architecture: Architecture, ofModel: Heads, what: string): OpenSafetensors {
  const toOurs = architecture === 'gpt2' ? gpt2Name : toHuggingFaceName;
  // Only llama's rows of queries and keys are in turns.
  const inTurns = architecture === 'llama' ? ofModel : null;
  const theirs = new Map<string, string>();
  const tensors = new Map<string, { readonly shape: readonly number[]; readonly dtype: 'F32' }>();
  for (const [name, { shape }] of file.tensors) {
    if (name === FACTORS) continue;
    const ours = toOurs(name);
    if (ours === null) throw notUsable(what, localized('gguf.tensor', { name: quoted(name) }), HINT);
    const heads = headsIn(ours, inTurns);
    if (heads > 0 && inTurns && shape[0] !== heads * inTurns.size) {
      const rows = { name: quoted(name), rows: shape[0], heads, size: inTurns.size };
      throw notUsable(what, localized('gguf.rows', rows), ANOTHER);
    }
    theirs.set(ours, name);
    tensors.set(ours, { shape, dtype: 'F32' });
  }
  const inHalves = (name: string, data: Float32Array) => {
    const heads = headsIn(name, inTurns);
    return heads > 0 ? reordered(data, tensors.get(name)?.shape[0] ?? 0, heads, 'halves') : data;
  };
  return {
    tensors,
    metadata: {},
    read: (name) => inHalves(name, file.read(theirs.get(name) ?? name)),
    take(name) {
      const read = file.take(theirs.get(name) ?? name);
      return () => inHalves(name, read());
    },
  };
}
