/**
 * Hugging Face's `NanoChatForCausalLM` as a model of the modern architecture, and back. Its tensors have our names and layout;
 * whatever would compute something else is refused by name. (transformers, models/nanochat.)
 */
import { z } from 'zod';
import { shapeOf } from '../../shared/architectures/modern.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { Json } from '../engine/types.js';
import { firstIssue, notUsable, parseModelConfig } from './foreign-weights.js';
import { absent, type HuggingFaceConfig, ropeOf, USUAL_CONTEXT } from './huggingface-model.js';

/** What a setting must be for the network to compute what ours does; left out, it has transformers' default. */
const configSchema = z.object({
  model_type: z.literal('nanochat'),
  hidden_size: z.int(),
  intermediate_size: z.int(),
  num_hidden_layers: z.int(),
  num_attention_heads: z.int(),
  num_key_value_heads: z.int().nullish(),
  head_dim: z.int().nullish(),
  max_position_embeddings: z.int().default(2048),
  vocab_size: z.int(),
  rms_norm_eps: z.number().default(1e-6),
  hidden_act: z.literal('relu2').default('relu2'),
  final_logit_softcapping: z.number().nullable().default(15),
  tie_word_embeddings: z.boolean().default(false),
  rope_theta: z.number().nullish(),
  rope_scaling: z.record(z.string(), z.unknown()).nullish(),
  rope_parameters: z.record(z.string(), z.unknown()).nullish(),
  attention_bias: z.literal(false).default(false),
  attention_dropout: z.number().default(0),
  quantization_config: absent,
});

const HINT = 'Use a model of the type nanochat without these changes, as transformers and Verisim write it.';

/** @param json config.json @param what the folder, for messages @throws UserError `checkpoint` */
export function nanochatConfig(json: unknown, what: string): HuggingFaceConfig {
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) throw notUsable(what, `in its config.json, ${firstIssue(parsed.error, json)}`, HINT);
  const settings = parsed.data;
  const { hidden_size, num_attention_heads: heads, max_position_embeddings: max_positions } = settings;
  const { theta, scaling } = ropeOf(settings, what, HINT);
  if (scaling) throw notUsable(what, `its rotary positions are scaled by "${scaling.type}"`, HINT);
  const config = parseModelConfig(
    {
      architecture: 'modern',
      n_layer: settings.num_hidden_layers,
      n_head: heads,
      n_embd: hidden_size,
      block_size: Math.min(max_positions, USUAL_CONTEXT),
      vocab_size: settings.vocab_size,
      dropout: 0,
      bias: false,
      mode: 'generator',
      modern: {
        n_kv_head: settings.num_key_value_heads ?? heads,
        head_dim: settings.head_dim ?? hidden_size / heads,
        n_inner: settings.intermediate_size,
        norm_epsilon: settings.rms_norm_eps,
        rope_theta: theta,
        max_positions,
        tied_head: settings.tie_word_embeddings,
        logit_cap: settings.final_logit_softcapping,
      },
    },
    what,
  );
  const { attention_dropout: dropout } = settings;
  const notes = dropout > 0 ? [`${what} was trained with a dropout of ${dropout} in attention; here it has none.`] : [];
  return { config, notes };
}

/** What config.json says of the network. */
export function nanochatSettings(config: GPTConfig): Record<string, Json> {
  const shape = shapeOf(config);
  return {
    model_type: 'nanochat',
    architectures: ['NanoChatForCausalLM'],
    hidden_act: 'relu2',
    hidden_size: config.n_embd,
    intermediate_size: shape.n_inner,
    num_hidden_layers: config.n_layer,
    num_attention_heads: config.n_head,
    num_key_value_heads: shape.n_kv_head,
    head_dim: shape.head_dim,
    max_position_embeddings: shape.max_positions,
    vocab_size: config.vocab_size,
    rms_norm_eps: shape.norm_epsilon,
    final_logit_softcapping: shape.logit_cap,
    tie_word_embeddings: shape.tied_head,
    attention_bias: false,
    attention_dropout: config.dropout,
    rope_theta: shape.rope_theta,
    rope_parameters: { rope_type: 'default', rope_theta: shape.rope_theta },
    // Left out, it would be 1: a token whose embedding is not trained.
    pad_token_id: null,
  };
}
