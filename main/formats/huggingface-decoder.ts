/** Converts Hugging Face's llama, qwen2, qwen3 and nanochat; settings that would compute something else are refused by name. */
import { z } from 'zod';
import { embeddingName } from '../../shared/architectures/decoder.js';
import { shapeOf } from '../../shared/architectures/modern.js';
import type { GPTConfig, LlamaShape, ModernShape, RopeScaling } from '../../shared/config/model.js';
import { localized, type Message } from '../../shared/messages/message.js';
import type { Json, NamedArrays } from '../engine/types.js';
import { firstIssue, notUsable } from './faults.js';
import { parseModelConfig, takeWeights } from './foreign-weights.js';
import { isWeightFormat, type NumberFormat } from './number-formats.js';
import type { OpenSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';

export interface HuggingFaceConfig {
  readonly config: GPTConfig;
  readonly notes: readonly Message[];
}

export const llamaTypes = ['llama', 'qwen2', 'qwen3'] as const;

/** Default context of long models: attention takes memory with the square of the context. */
export const USUAL_CONTEXT = 1024;

const USUAL_THETA = 10000;

/** A setting that is left out has transformers' default; `null` if that follows from others. */
const decoderSettings = {
  hidden_size: z.int(),
  intermediate_size: z.int(),
  num_hidden_layers: z.int(),
  num_attention_heads: z.int(),
  num_key_value_heads: z.int().nullish(),
  head_dim: z.int().nullish(),
  vocab_size: z.int(),
  rms_norm_eps: z.number().default(1e-6),
  tie_word_embeddings: z.boolean().default(false),
  rope_theta: z.number().nullish(),
  /** Until transformers 4, and since. */
  rope_scaling: z.record(z.string(), z.unknown()).nullish(),
  rope_parameters: z.record(z.string(), z.unknown()).nullish(),
  attention_dropout: z.number().default(0),
};
type DecoderSettings = z.infer<z.ZodObject<typeof decoderSettings>> & { readonly max_position_embeddings: number };

/** The values for which the network computes what ours does. */
const llamaSchema = z.object({
  ...decoderSettings,
  model_type: z.enum(llamaTypes),
  max_position_embeddings: z.int(),
  hidden_act: z.literal('silu').default('silu'),
  partial_rotary_factor: z.literal(1).nullish(),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.literal(false).default(false),
  use_sliding_window: z.literal(false).nullish(),
  layer_types: z.array(z.literal('full_attention')).nullish(),
});

const nanochatSchema = z.object({
  ...decoderSettings,
  model_type: z.literal('nanochat'),
  max_position_embeddings: z.int().default(2048),
  hidden_act: z.literal('relu2').default('relu2'),
  final_logit_softcapping: z.number().nullable().default(15),
  attention_bias: z.literal(false).default(false),
});

/** @param json config.json @param what the folder, for messages @throws UserError `checkpoint` */
export function llamaConfig(json: unknown, what: string): HuggingFaceConfig {
  const hint = localized('unfit.llama.hint');
  const settings = parseSettings(llamaSchema, json, what, hint);
  const { model_type, attention_bias } = settings;
  // Qwen3's heads are 128 wide by default; the others share the width.
  const head_dim = settings.head_dim ?? (model_type === 'qwen3' ? 128 : undefined);
  const { shape, scaling } = decoderShape({ ...settings, head_dim }, what, hint);
  const llama = {
    ...shape,
    ...(scaling ? { rope_scaling: scaling } : {}),
    qk_norm: model_type === 'qwen3',
    attention_bias: model_type === 'qwen2' ? 'inputs' : attention_bias ? 'all' : 'none',
  };
  return decoderConfig(settings, { architecture: 'llama', llama }, what);
}

/** @param json config.json @param what the folder, for messages @throws UserError `checkpoint` */
export function nanochatConfig(json: unknown, what: string): HuggingFaceConfig {
  const hint = localized('unfit.nanochat.hint');
  const settings = parseSettings(nanochatSchema, json, what, hint);
  const { shape, scaling } = decoderShape(settings, what, hint);
  if (scaling) throw notUsable(what, localized('unfit.ropeType', { name: JSON.stringify(scaling.type) }), hint);
  const modern = { ...shape, logit_cap: settings.final_logit_softcapping };
  return decoderConfig(settings, { architecture: 'modern', modern }, what);
}

/** @throws UserError `checkpoint` if config.json describes another computation */
export function parseSettings<S extends z.ZodType>(schema: S, json: unknown, what: string, hint: Message): z.infer<S> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw notUsable(what, localized('unfit.configField', { why: firstIssue(parsed.error, json) }), hint);
}

function decoderShape(settings: DecoderSettings, what: string, hint: Message) {
  const { num_attention_heads: heads, hidden_size } = settings;
  const { theta, scaling } = ropeOf(settings, what, hint);
  const shape = {
    n_kv_head: settings.num_key_value_heads ?? heads,
    head_dim: settings.head_dim ?? hidden_size / heads,
    n_inner: settings.intermediate_size,
    norm_epsilon: settings.rms_norm_eps,
    rope_theta: theta,
    max_positions: settings.max_position_embeddings,
    tied_head: settings.tie_word_embeddings,
  };
  return { shape, scaling };
}

/** @param own settings of the family */
function decoderConfig(
  settings: DecoderSettings,
  own: Readonly<Record<string, unknown>>,
  what: string,
): HuggingFaceConfig {
  const { attention_dropout: dropout } = settings;
  const config = parseModelConfig(
    {
      n_layer: settings.num_hidden_layers,
      n_head: settings.num_attention_heads,
      n_embd: settings.hidden_size,
      block_size: Math.min(settings.max_position_embeddings, USUAL_CONTEXT),
      vocab_size: settings.vocab_size,
      dropout: 0,
      bias: false,
      mode: 'generator',
      ...own,
    },
    what,
  );
  return { config, notes: dropout > 0 ? [localized('imported.attentionDropout', { what, dropout })] : [] };
}

const linearSchema = z.object({ factor: z.number() });
const llama3Schema = z.object({
  factor: z.number(),
  low_freq_factor: z.number(),
  high_freq_factor: z.number(),
  original_max_position_embeddings: z.int(),
});

/** @throws UserError `checkpoint` for rotary settings that are not computed here */
function ropeOf(
  settings: DecoderSettings,
  what: string,
  hint: Message,
): { readonly theta: unknown; readonly scaling?: RopeScaling } {
  const rope = settings.rope_parameters ?? settings.rope_scaling ?? {};
  const theta = rope['rope_theta'] ?? settings.rope_theta ?? USUAL_THETA;
  const type = rope['rope_type'] ?? rope['type'] ?? 'default';
  const parsedAs = <T>(schema: z.ZodType<T>): T => {
    const parsed = schema.safeParse(rope);
    if (parsed.success) return parsed.data;
    throw notUsable(what, localized('unfit.ropeField', { why: firstIssue(parsed.error, rope) }), hint);
  };
  const partial = rope['partial_rotary_factor'] ?? 1;
  if (partial !== 1)
    throw notUsable(what, localized('unfit.ropePartial', { share: shorten(JSON.stringify(partial)) }), hint);
  switch (type) {
    case 'default':
      return { theta };
    case 'linear':
      return { theta, scaling: { type: 'linear', ...parsedAs(linearSchema) } };
    case 'llama3': {
      const { original_max_position_embeddings: original_positions, ...factors } = parsedAs(llama3Schema);
      return { theta, scaling: { type: 'llama3', ...factors, original_positions } };
    }
    default:
      throw notUsable(what, localized('unfit.ropeType', { name: shorten(JSON.stringify(type)) }), hint);
  }
}

/** @throws UserError `checkpoint` if a tensor of this type is no weight */
export function mustBeReadable(name: string, dtype: NumberFormat, what: string): void {
  if (isWeightFormat(dtype)) return;
  throw notUsable(what, localized('unfit.type', { name: shorten(name), type: dtype }), localized('unfit.type.hint'));
}

/** Frequencies in older files, which follow from the configuration. */
const frequencies = /\.rotary_emb\.inv_freq$/;

/** The weights of a model whose tensors have our names. @throws UserError `checkpoint`, `file_damaged` */
export function weightsByName(config: GPTConfig, file: OpenSafetensors, what: string): NamedArrays {
  for (const [name, { dtype }] of file.tensors) if (!frequencies.test(name)) mustBeReadable(name, dtype, what);
  const shapes = new Map([...file.tensors].map(([name, { shape }]) => [name, shape]));
  const tensors = { shapes, read: (name: string) => file.read(name), take: (name: string) => file.take(name) };
  return takeWeights(config, tensors, what, { embedding: embeddingName, buffers: frequencies });
}

/** The settings of config.json, in the terms of transformers 4, which later versions read too. */
export function llamaSettings({ llama: shape, ...config }: GPTConfig): Record<string, Json> {
  if (!shape) throw new Error('not of this family');
  const { rope_scaling: scaling, attention_bias, qk_norm } = shape;
  const type = qk_norm ? 'qwen3' : attention_bias === 'inputs' ? 'qwen2' : 'llama';
  const names = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' };
  return {
    model_type: type,
    architectures: [names[type]],
    hidden_act: 'silu',
    ...writtenSettings(config, shape),
    ...(type === 'qwen2' ? {} : { attention_bias: attention_bias === 'all' }),
    ...(type === 'llama' ? { mlp_bias: false } : { use_sliding_window: false }),
    rope_theta: shape.rope_theta,
    rope_scaling: scaling ? scalingSettings(scaling) : null,
  };
}

function scalingSettings(scaling: RopeScaling): Record<string, Json> {
  if (scaling.type === 'linear') return { rope_type: 'linear', factor: scaling.factor };
  const { type: rope_type, original_positions: original_max_position_embeddings, ...factors } = scaling;
  return { rope_type, ...factors, original_max_position_embeddings };
}

export function nanochatSettings(config: GPTConfig): Record<string, Json> {
  const shape = shapeOf(config);
  return {
    model_type: 'nanochat',
    architectures: ['NanoChatForCausalLM'],
    hidden_act: 'relu2',
    ...writtenSettings(config, shape),
    final_logit_softcapping: shape.logit_cap,
    attention_bias: false,
    rope_theta: shape.rope_theta,
    rope_parameters: { rope_type: 'default', rope_theta: shape.rope_theta },
    // By default it is 1: a token whose embedding is not trained.
    pad_token_id: null,
  };
}

const writtenSettings = (config: GPTConfig, shape: LlamaShape | ModernShape): Record<string, Json> => ({
  hidden_size: config.n_embd,
  intermediate_size: shape.n_inner,
  num_hidden_layers: config.n_layer,
  num_attention_heads: config.n_head,
  num_key_value_heads: shape.n_kv_head,
  head_dim: shape.head_dim,
  max_position_embeddings: shape.max_positions,
  vocab_size: config.vocab_size,
  rms_norm_eps: shape.norm_epsilon,
  tie_word_embeddings: shape.tied_head,
  attention_dropout: config.dropout,
});
