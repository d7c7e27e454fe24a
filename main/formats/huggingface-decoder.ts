/** Reads and writes what config.json shares between Llama's family and NanoChat. */
import { z } from 'zod';
import type { GPTConfig, LlamaShape, ModernShape } from '../../shared/config/model.js';
import type { Json } from '../engine/types.js';
import { firstIssue, notUsable, parseModelConfig } from './foreign-weights.js';
import { absent, type HuggingFaceConfig, ropeOf, USUAL_CONTEXT } from './huggingface-model.js';

/** Left out, a setting has transformers' default; `null` where that follows from others. */
export const decoderSettings = {
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
  quantization_config: absent,
};
type DecoderSettings = z.infer<z.ZodObject<typeof decoderSettings>> & { readonly max_position_embeddings: number };

/** @throws UserError `checkpoint` where config.json says what would compute something else */
export function parseSettings<S extends z.ZodType>(schema: S, json: unknown, what: string, hint: string): z.infer<S> {
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw notUsable(what, `in its config.json, ${firstIssue(parsed.error, json)}`, hint);
  return parsed.data;
}

/** @param hint for rotary positions that are not computed here @throws UserError `checkpoint` */
export function decoderShape(settings: DecoderSettings, what: string, hint: string) {
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

/** The network, with what its family has of its own. @throws UserError `checkpoint` where it is none of ours */
export function decoderConfig(
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
  const notes = dropout > 0 ? [`${what} was trained with a dropout of ${dropout} in attention; here it has none.`] : [];
  return { config, notes };
}

export const writtenSettings = (config: GPTConfig, shape: LlamaShape | ModernShape): Record<string, Json> => ({
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
