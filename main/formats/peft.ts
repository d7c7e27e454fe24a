/** Writes LoRA adapters as PEFT saves them. (peft, tuners/lora/config.py and utils/save_and_load.py) */
import { isAdapter } from '../../shared/architectures/adapters.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { Json, NamedArrays } from '../engine/types.js';
import { encodeSafetensors } from './safetensors.js';
import { stableJson } from './stable-json.js';

/** PEFT's prefix of the names of a causal language model's layers. */
const PREFIX = 'base_model.model.';

interface PeftFiles {
  readonly 'adapter_config.json': string;
  readonly 'adapter_model.safetensors': Iterable<Uint8Array>;
}

/** @param base folder or hub name of the base model, if known. @throws Error for a model without adapters */
export function writePeftAdapters(config: GPTConfig, weights: NamedArrays, base: string | null): PeftFiles {
  const { lora } = config;
  if (!lora) throw new Error('the model has no adapters');
  const adapters = Object.entries(weights).filter(([name]) => isAdapter(name));
  // The last two parts of a layer's name distinguish the two c_proj of a block of GPT-2.
  const targets = adapters.map(([name]) => name.split('.').slice(-4, -2).join('.'));
  const settings: Record<string, Json> = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base,
    r: lora.rank,
    lora_alpha: lora.alpha,
    lora_dropout: 0,
    target_modules: [...new Set(targets)].sort(),
    // transformers stores the matrices of GPT-2 as [in, out].
    fan_in_fan_out: (config.architecture ?? 'gpt2') === 'gpt2',
    bias: 'none',
    init_lora_weights: true,
    inference_mode: true,
    modules_to_save: null,
    use_dora: false,
    use_rslora: false,
  };
  const named = Object.fromEntries(adapters.map(([name, array]) => [PREFIX + name, array]));
  return {
    'adapter_config.json': `${stableJson(settings, 2)}\n`,
    'adapter_model.safetensors': encodeSafetensors(named, { format: 'pt' }),
  };
}
