/** Converts Hugging Face's GPT-2, whose linear weights are [in, out]. (transformers, models/gpt2) */
import { z } from 'zod';
import type { GPTConfig } from '../../shared/config/model.js';
import { localized, type Message } from '../../shared/messages/message.js';
import { notUsable } from './faults.js';
import { type ForeignTensors, parseModelConfig, takeWeights } from './foreign-weights.js';
import { type HuggingFaceConfig, mustBeReadable, parseSettings } from './huggingface-decoder.js';
import { parameterShapes } from '../../shared/architectures/index.js';
import type { OpenSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';
import type { HostArray, Json, NamedArrays } from '../engine/types.js';

/** x·Φ(x) exactly, and its approximations with tanh. */
const exactActivations = ['gelu', 'gelu_python'];
const tanhActivations = ['gelu_new', 'gelu_pytorch_tanh', 'gelu_fast', 'gelu_accurate'];

/** The largest distance between x·Φ(x) and its tanh approximation, near x = ±2.7; a test measures it. */
export const TANH_DIFFERENCE = 0.00048;

/** The values for which the network computes what ours does; the defaults are transformers'. */
const configSchema = z.object({
  model_type: z.literal('gpt2'),
  n_layer: z.int(),
  n_head: z.int(),
  n_embd: z.int(),
  n_positions: z.int(),
  vocab_size: z.int(),
  activation_function: z.enum([...exactActivations, ...tanhActivations]).default('gelu_new'),
  layer_norm_epsilon: z.literal(1e-5).default(1e-5),
  n_inner: z.int().nullable().default(null),
  resid_pdrop: z.number().default(0.1),
  embd_pdrop: z.number().default(0.1),
  attn_pdrop: z.number().default(0.1),
  scale_attn_weights: z.literal(true).default(true),
  scale_attn_by_inverse_layer_idx: z.literal(false).default(false),
  add_cross_attention: z.literal(false).default(false),
});

const HINT = localized('unfit.gpt2.hint');

/** @throws UserError `checkpoint` when the model is not of our architecture */
export function gpt2Config(json: unknown, what: string): HuggingFaceConfig {
  const settings = parseSettings(configSchema, json, what, HINT);
  const { n_inner, n_embd } = settings;
  if (n_inner !== null && n_inner !== 4 * n_embd)
    throw notUsable(what, localized('unfit.innerWidth', { value: n_inner }), HINT);
  const config = parseModelConfig(
    {
      n_layer: settings.n_layer,
      n_head: settings.n_head,
      n_embd,
      block_size: settings.n_positions,
      vocab_size: settings.vocab_size,
      dropout: settings.resid_pdrop,
      bias: true,
      mode: 'generator',
    },
    what,
  );
  const { activation_function: activation, resid_pdrop: dropout, embd_pdrop, attn_pdrop } = settings;
  const notes: Message[] = [];
  if (!exactActivations.includes(activation))
    notes.push(localized('imported.activation', { what, activation, difference: TANH_DIFFERENCE }));
  if (embd_pdrop !== dropout || attn_pdrop !== dropout) notes.push(localized('imported.dropouts', { what, dropout }));
  return { config, notes };
}

/** @param inputsFirst whether linear weights are [in, out], as in Hugging Face's files */
export const gpt2Weights = (config: GPTConfig, file: OpenSafetensors, what: string, inputsFirst = true): NamedArrays =>
  takeWeights(config, ourTensors(file, what, inputsFirst ? isConv1D : () => false), what);

const isConv1D = (name: string): boolean => /\.(c_attn|c_proj|c_fc)\.weight$/.test(name);

function ourTensors(file: OpenSafetensors, what: string, isTurned: (name: string) => boolean): ForeignTensors {
  const theirs = new Map<string, string>();
  const shapes = new Map<string, readonly number[]>();
  for (const [name, { shape, dtype }] of file.tensors) {
    const ours = name.startsWith('transformer.') || name === 'lm_head.weight' ? name : `transformer.${name}`;
    if (shapes.has(ours))
      throw notUsable(what, localized('damage.twice', { name: shorten(ours) }), localized('unfit.copy.hint'));
    if (!/\.attn\.(masked_)?bias$/.test(ours)) mustBeReadable(name, dtype, what);
    theirs.set(ours, name);
    shapes.set(ours, isTurned(ours) ? [...shape].reverse() : shape);
  }
  const take = (ours: string) => {
    const name = theirs.get(ours) ?? ours;
    const numbers = file.take(name);
    if (!isTurned(ours)) return numbers;
    const { dtype, shape: [rows = 0, columns = 0] = [] } = file.tensors.get(name) ?? {};
    const convert = () => transposed(numbers(), rows, columns);
    if (dtype !== 'F32') return convert;
    // Transposed float32 takes no more memory than in the file: convert once.
    const data = convert();
    return () => data;
  };
  return { shapes, take, read: (ours) => take(ours)() };
}

/** Rows and columns exchanged, a block at a time, so that both sides stay in the processor's cache. */
function transposed(data: Float32Array, rows: number, columns: number): Float32Array {
  const result = new Float32Array(data.length);
  const BLOCK = 32;
  for (let top = 0; top < rows; top += BLOCK) {
    for (let left = 0; left < columns; left += BLOCK) {
      for (let row = top; row < Math.min(top + BLOCK, rows); row++) {
        for (let column = left; column < Math.min(left + BLOCK, columns); column++) {
          result[column * rows + row] = data[row * columns + column] ?? NaN;
        }
      }
    }
  }
  return result;
}

/** Converts a base model to `GPT2LMHeadModel`: missing biases become zeros, transposed layers are copies. */
export function gpt2Arrays(config: GPTConfig, weights: NamedArrays): NamedArrays {
  const arrays: Record<string, HostArray> = {};
  for (const [name, shape] of Object.entries(parameterShapes({ ...config, bias: true }))) {
    const array = weights[name] ?? { shape, data: new Float32Array(shape[0] ?? 0) };
    const [rows = 0, columns = 0] = array.shape;
    arrays[name] = isConv1D(name) ? { shape: [columns, rows], data: transposed(array.data, rows, columns) } : array;
  }
  return arrays;
}

export function gpt2Settings(config: GPTConfig): Record<string, Json> {
  const { n_layer, n_head, n_embd, block_size, vocab_size, dropout } = config;
  return {
    model_type: 'gpt2',
    architectures: ['GPT2LMHeadModel'],
    activation_function: 'gelu',
    layer_norm_epsilon: 1e-5,
    n_layer,
    n_head,
    n_embd,
    n_inner: null,
    n_positions: block_size,
    vocab_size,
    resid_pdrop: dropout,
    embd_pdrop: dropout,
    attn_pdrop: dropout,
    tie_word_embeddings: true,
  };
}
