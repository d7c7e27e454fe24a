/** Converts Hugging Face's llama, qwen2 and qwen3; settings that would compute something else are refused by name. */
import { z } from 'zod';
import type { GPTConfig, LlamaShape, RopeScaling } from '../../shared/config/model.js';
import type { Json } from '../engine/types.js';
import { decoderConfig, decoderSettings, decoderShape, parseSettings, writtenSettings } from './huggingface-decoder.js';
import type { HuggingFaceConfig } from './huggingface-model.js';

export const llamaTypes = ['llama', 'qwen2', 'qwen3'] as const;

/** What a setting must be for the network to compute what ours does; left out, it has transformers' default. */
const configSchema = z.object({
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
type Settings = z.infer<typeof configSchema>;

const HINT =
  'Use a model of the types llama, qwen2 or qwen3 without these changes, such as SmolLM2, Qwen2.5 or Llama 3.2.';

/** @param json config.json @param what the folder, for messages @throws UserError `checkpoint` */
export function llamaConfig(json: unknown, what: string): HuggingFaceConfig {
  const settings = parseSettings(configSchema, json, what, HINT);
  return decoderConfig(settings, { architecture: 'llama', llama: shapeOf(settings, what) }, what);
}

function shapeOf(settings: Settings, what: string): Readonly<Partial<Record<keyof LlamaShape, unknown>>> {
  const { model_type, attention_bias } = settings;
  // Qwen3's heads are 128 wide unless it says otherwise; the others share the width.
  const head_dim = settings.head_dim ?? (model_type === 'qwen3' ? 128 : undefined);
  const { shape, scaling } = decoderShape({ ...settings, head_dim }, what, HINT);
  return {
    ...shape,
    ...(scaling ? { rope_scaling: scaling } : {}),
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
