/**
 * Hugging Face's models of Llama's family (llama, qwen2, qwen3) as models of ours, and back. Their tensors have our names
 * and layout; config.json says which members of the family they are, and whatever would compute something else is refused
 * by name. (transformers, models/llama, qwen2 and qwen3, modeling_rope_utils.py.)
 */
import { z } from 'zod';
import type { GPTConfig, LlamaShape, RopeScaling } from '../../shared/config/model.js';
import type { Json } from '../engine/types.js';
import { firstIssue, notUsable, parseModelConfig } from './foreign-weights.js';
import { absent, type HuggingFaceConfig, ropeOf, USUAL_CONTEXT } from './huggingface-model.js';

export const llamaTypes = ['llama', 'qwen2', 'qwen3'] as const;

/** What a setting must be for the network to compute what ours does; left out, it has transformers' default. */
const configSchema = z.object({
  model_type: z.enum(llamaTypes),
  hidden_size: z.int(),
  intermediate_size: z.int(),
  num_hidden_layers: z.int(),
  num_attention_heads: z.int(),
  num_key_value_heads: z.int().nullish(),
  head_dim: z.int().nullish(),
  max_position_embeddings: z.int(),
  vocab_size: z.int(),
  rms_norm_eps: z.number().default(1e-6),
  hidden_act: z.literal('silu').default('silu'),
  tie_word_embeddings: z.boolean().default(false),
  rope_theta: z.number().nullish(),
  /** Until transformers 4, and since. */
  rope_scaling: z.record(z.string(), z.unknown()).nullish(),
  rope_parameters: z.record(z.string(), z.unknown()).nullish(),
  partial_rotary_factor: z.literal(1).nullish(),
  attention_bias: z.boolean().default(false),
  attention_dropout: z.number().default(0),
  mlp_bias: z.literal(false).default(false),
  use_sliding_window: z.literal(false).nullish(),
  layer_types: z.array(z.literal('full_attention')).nullish(),
  quantization_config: absent,
});
type Settings = z.infer<typeof configSchema>;

const HINT =
  'Use a model of the types llama, qwen2 or qwen3 without these changes, such as SmolLM2, Qwen2.5 or Llama 3.2.';

/** @param json config.json @param what the folder, for messages @throws UserError `checkpoint` */
export function llamaConfig(json: unknown, what: string): HuggingFaceConfig {
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) throw notUsable(what, `in its config.json, ${firstIssue(parsed.error, json)}`, HINT);
  const settings = parsed.data;
  const block_size = Math.min(settings.max_position_embeddings, USUAL_CONTEXT);
  const config = parseModelConfig(
    {
      architecture: 'llama',
      n_layer: settings.num_hidden_layers,
      n_head: settings.num_attention_heads,
      n_embd: settings.hidden_size,
      block_size,
      vocab_size: settings.vocab_size,
      dropout: 0,
      bias: false,
      mode: 'generator',
      llama: shapeOf(settings, what),
    },
    what,
  );
  const notes: string[] = [];
  if (settings.attention_dropout > 0) {
    notes.push(`${what} was trained with a dropout of ${settings.attention_dropout} in attention; here it has none.`);
  }
  return { config, notes };
}

function shapeOf(settings: Settings, what: string): Readonly<Partial<Record<keyof LlamaShape, unknown>>> {
  const { model_type, hidden_size, num_attention_heads: heads, attention_bias } = settings;
  // Qwen3's heads are 128 wide unless it says otherwise; the others share the width.
  const headDim = settings.head_dim ?? (model_type === 'qwen3' ? 128 : hidden_size / heads);
  const { theta, scaling } = ropeOf(settings, what, HINT);
  return {
    n_kv_head: settings.num_key_value_heads ?? heads,
    head_dim: headDim,
    n_inner: settings.intermediate_size,
    norm_epsilon: settings.rms_norm_eps,
    rope_theta: theta,
    ...(scaling ? { rope_scaling: scaling } : {}),
    max_positions: settings.max_position_embeddings,
    tied_head: settings.tie_word_embeddings,
    qk_norm: model_type === 'qwen3',
    attention_bias: model_type === 'qwen2' ? 'inputs' : attention_bias ? 'all' : 'none',
  };
}

/** What config.json says of the network, in the words of transformers 4, which the later ones read too. */
export function llamaSettings({ llama: shape, ...config }: GPTConfig): Record<string, Json> {
  if (!shape) throw new Error('not of this family');
  const { rope_scaling: scaling, attention_bias, qk_norm } = shape;
  const type = qk_norm ? 'qwen3' : attention_bias === 'inputs' ? 'qwen2' : 'llama';
  const names = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' };
  return {
    model_type: type,
    architectures: [names[type]],
    hidden_act: 'silu',
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
