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
import { encodeSafetensors, type OpenSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';
import { noSpecialIds, type SpecialIds } from './tokenizer/special-tokens.js';
import { stableJson } from './stable-json.js';

interface Reader {
  config(json: unknown, what: string): HuggingFaceConfig;
  weights(config: GPTConfig, file: OpenSafetensors, what: string): NamedArrays;
}

const gpt2: Reader = { config: gpt2Config, weights: gpt2Weights };
const llama: Reader = { config: llamaConfig, weights: weightsByName };
const nanochat: Reader = { config: nanochatConfig, weights: weightsByName };
const readers: ReadonlyMap<unknown, Reader> = new Map([
  ['gpt2', gpt2],
  ...llamaTypes.map((type): [string, Reader] => [type, llama]),
  ['nanochat', nanochat],
]);

/** Reads config and weights. @throws UserError `checkpoint` for an unknown architecture; `file_damaged` */
export function readHuggingFaceModel(configText: string, file: OpenSafetensors, what: string) {
  const json = parsedConfig(configText, what);
  const reader = readerOf(json, what);
  const read = reader.config(json, what);
  return { ...read, weights: reader.weights(read.config, file, what) };
}

/** Reads the config alone. @throws UserError `checkpoint` for an unknown architecture */
export function readHuggingFaceConfig(configText: string, what: string): HuggingFaceConfig {
  const json = parsedConfig(configText, what);
  return readerOf(json, what).config(json, what);
}

function parsedConfig(configText: string, what: string): unknown {
  try {
    return parseBoundedJson(configText);
  } catch {
    throw notUsable(what, localized('unfit.configJson'), localized('unfit.copy.hint'));
  }
}

function readerOf(json: unknown, what: string): Reader {
  const type = typeof json === 'object' && json !== null && 'model_type' in json ? json.model_type : undefined;
  const reader = readers.get(type);
  if (reader) return reader;
  const why =
    type === undefined
      ? localized('unfit.noModelType')
      : localized('unfit.modelType', { type: shorten(JSON.stringify(type)) });
  throw notUsable(what, why, localized('unfit.modelType.hint', { types: [...readers.keys()].join(', ') }));
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
