/** Converts Hugging Face's `NanoChatForCausalLM`; settings that would compute something else are refused by name. */
import { z } from 'zod';
import { shapeOf } from '../../shared/architectures/modern.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { Json } from '../engine/types.js';
import { notUsable } from './foreign-weights.js';
import { decoderConfig, decoderSettings, decoderShape, parseSettings, writtenSettings } from './huggingface-decoder.js';
import type { HuggingFaceConfig } from './huggingface-model.js';

/** What a setting must be for the network to compute what ours does; left out, it has transformers' default. */
const configSchema = z.object({
  ...decoderSettings,
  model_type: z.literal('nanochat'),
  max_position_embeddings: z.int().default(2048),
  hidden_act: z.literal('relu2').default('relu2'),
  final_logit_softcapping: z.number().nullable().default(15),
  attention_bias: z.literal(false).default(false),
});

const HINT = 'Use a model of the type nanochat without these changes, as transformers and Verisim write it.';

/** @param json config.json @param what the folder, for messages @throws UserError `checkpoint` */
export function nanochatConfig(json: unknown, what: string): HuggingFaceConfig {
  const settings = parseSettings(configSchema, json, what, HINT);
  const { shape, scaling } = decoderShape(settings, what, HINT);
  if (scaling) throw notUsable(what, `its rotary positions are scaled by "${scaling.type}"`, HINT);
  const modern = { ...shape, logit_cap: settings.final_logit_softcapping };
  return decoderConfig(settings, { architecture: 'modern', modern }, what);
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
    // Left out, it would be 1: a token whose embedding is not trained.
    pad_token_id: null,
  };
}
