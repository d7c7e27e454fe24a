/** Converts a Hugging Face folder (config.json, safetensors) to our model and back, by `model_type`. */
import type { GPTConfig } from '../../shared/config/model.js';
import type { Json, NamedArrays } from '../engine/types.js';
import { parseBoundedJson } from './bounded-json.js';
import { localized } from '../../shared/messages/message.js';
import { notUsable } from './faults.js';
import { gpt2Arrays, gpt2Config, gpt2Settings, gpt2Weights } from './huggingface-gpt2.js';
import {
  type HuggingFaceConfig,
  llamaConfig,
  llamaSettings,
  llamaTypes,
  nanochatConfig,
  nanochatSettings,
  weightsByName,
} from './huggingface-decoder.js';
import { unwrapped } from './foreign-weights.js';
import { encodeSafetensors, type OpenSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';
import { fieldsOf, noSpecialIds, type SpecialIds } from './tokenizer/special-tokens.js';
import { stableJson } from './stable-json.js';

const configReaders: ReadonlyMap<unknown, (json: unknown, what: string) => HuggingFaceConfig> = new Map([
  ['gpt2', gpt2Config],
  ...llamaTypes.map((type) => [type, llamaConfig] as const),
  ['nanochat', nanochatConfig],
]);

/** Reads config and weights. @param inputsFirst whether GPT-2's linear weights are [in, out]. @throws UserError `checkpoint` for an unknown architecture; `file_damaged` */
export function readHuggingFaceModel(configText: string, file: OpenSafetensors, what: string, inputsFirst = true) {
  const read = readHuggingFaceConfig(configText, what);
  const weightsOf = (read.config.architecture ?? 'gpt2') === 'gpt2' ? gpt2Weights : weightsByName;
  return { ...read, weights: weightsOf(read.config, unwrapped(file, what), what, inputsFirst) };
}

/** Reads the config alone. @throws UserError `checkpoint` for an unknown architecture */
export function readHuggingFaceConfig(configText: string, what: string): HuggingFaceConfig {
  let json: unknown;
  try {
    json = parseBoundedJson(configText);
  } catch {
    throw notUsable(what, localized('unfit.configJson'), localized('unfit.copy.hint'));
  }
  const fields = fieldsOf(configText);
  // MLX's name, and that of transformers.
  const quantised = fields['quantization'] ?? fields['quantization_config'] ?? null;
  if (quantised !== null) {
    const { bits = null, quant_method: method = 'MLX' } = quantised as Readonly<Record<string, unknown>>;
    const why = localized('unfit.quantised', {
      method: shorten(String(method)),
      bits: bits === null ? null : String(bits),
    });
    throw notUsable(what, why, localized('unfit.quantised.hint'));
  }
  const type = fields['model_type'];
  const readConfig = configReaders.get(type);
  if (readConfig) return readConfig(json, what);
  const why =
    type === undefined
      ? localized('unfit.noModelType')
      : localized('unfit.modelType', { type: shorten(JSON.stringify(type)) });
  throw notUsable(what, why, localized('unfit.modelType.hint', { types: [...configReaders.keys()].join(', ') }));
}

const settingsOf = { gpt2: gpt2Settings, llama: llamaSettings, modern: nanochatSettings } as const;

export const modelSettings = (config: GPTConfig): Record<string, Json> =>
  settingsOf[config.architecture ?? 'gpt2'](config);

interface HuggingFaceFiles {
  readonly 'config.json': string;
  readonly 'generation_config.json': string;
  readonly 'model.safetensors': Iterable<Uint8Array>;
}

/** Writes a base model for `AutoModelForCausalLM.from_pretrained`. @param special ids that begin and end a text */
export function writeHuggingFaceModel(
  config: GPTConfig,
  weights: NamedArrays,
  { bos, eos, pad }: SpecialIds = noSpecialIds,
): HuggingFaceFiles {
  const { architecture = 'gpt2' } = config;
  const tokens = { bos_token_id: bos, eos_token_id: eos, ...(pad === null ? {} : { pad_token_id: pad }) };
  // The name of dtype in the current transformers and in older ones.
  const stored = { dtype: 'float32', torch_dtype: 'float32' };
  return {
    'config.json': json({ ...modelSettings(config), ...stored, ...tokens }),
    'generation_config.json': json({ _from_model_config: true, ...tokens }),
    'model.safetensors': encodeSafetensors(architecture === 'gpt2' ? gpt2Arrays(config, weights) : weights, {
      format: 'pt',
    }),
  };
}

/** transformers refuses an integer here, and JSON does not distinguish them: `15` must be `15.0`. */
const WANTS_POINT = /("final_logit_softcapping": \d+)(?=[,\n])/;

const json = (value: Readonly<Record<string, Json>>): string =>
  `${stableJson(value, 2).replace(WANTS_POINT, '$1.0')}\n`;
