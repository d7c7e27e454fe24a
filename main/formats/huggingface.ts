/**
 * A Hugging Face folder as a model of ours, and back: config.json, and the weights in safetensors. Which network it is says
 * `model_type`; each architecture has a file of its own.
 */
import type { GPTConfig } from '../../shared/config/model.js';
import type { Json, NamedArrays } from '../engine/types.js';
import { parseBoundedJson } from './bounded-json.js';
import { notUsable } from './foreign-weights.js';
import { gpt2Arrays, gpt2Settings, readGpt2 } from './huggingface-gpt2.js';
import { llamaSettings, llamaTypes, readLlama } from './huggingface-llama.js';
import type { HuggingFaceModel } from './huggingface-model.js';
import { encodeSafetensors, type OpenSafetensors } from './safetensors.js';
import { shorten } from './shorten.js';
import { stableJson } from './stable-json.js';

const readers: ReadonlyMap<unknown, typeof readGpt2> = new Map([
  ['gpt2', readGpt2],
  ...llamaTypes.map((type): [string, typeof readGpt2] => [type, readLlama]),
]);

/**
 * @param configText config.json
 * @param file the weights
 * @param what the folder, for messages
 * @throws UserError `checkpoint` when the model is not of an architecture of ours; `file_damaged`
 */
export function readHuggingFaceModel(configText: string, file: OpenSafetensors, what: string): HuggingFaceModel {
  let json: unknown;
  try {
    json = parseBoundedJson(configText);
  } catch {
    throw notUsable(what, 'its config.json is not JSON', 'Use another copy of the model.');
  }
  return readModelOf(json, file, what);
}

/**
 * A model in Hugging Face's words, wherever they come from. What is not supported is said before a weight is read.
 * @param json what config.json holds
 * @throws UserError `checkpoint`, `file_damaged`
 */
function readModelOf(json: unknown, file: OpenSafetensors, what: string): HuggingFaceModel {
  const type = typeof json === 'object' && json !== null && 'model_type' in json ? json.model_type : undefined;
  const read = readers.get(type);
  if (read) return read(json, file, what);
  const why = type === undefined ? 'lacks a model_type' : `has the model_type ${shorten(JSON.stringify(type))}`;
  const hint = `Use a model of one of the types ${[...readers.keys()].join(', ')}, or one that Verisim or nanoGPT made.`;
  throw notUsable(what, `its config.json ${why}, which Verisim does not compute`, hint);
}

interface HuggingFaceFiles {
  readonly 'config.json': string;
  readonly 'generation_config.json': string;
  /** In pieces. */
  readonly 'model.safetensors': readonly Uint8Array[];
}

/**
 * A base model as the files that `AutoModelForCausalLM.from_pretrained` reads.
 * @param endOfText the id that ends a text, or null when the tokenizer has none
 */
export function writeHuggingFaceModel(
  config: GPTConfig,
  weights: NamedArrays,
  endOfText: number | null,
): HuggingFaceFiles {
  const isLlama = config.architecture === 'llama';
  const tokens = { bos_token_id: endOfText, eos_token_id: endOfText };
  // The name of dtype in the current transformers and in older ones.
  const stored = { dtype: 'float32', torch_dtype: 'float32' };
  const settings = isLlama ? llamaSettings(config) : gpt2Settings(config);
  return {
    'config.json': json({ ...settings, ...stored, ...tokens }),
    'generation_config.json': json({ _from_model_config: true, ...tokens }),
    'model.safetensors': encodeSafetensors(isLlama ? weights : gpt2Arrays(config, weights), { format: 'pt' }),
  };
}

const json = (value: Readonly<Record<string, Json>>): string => `${stableJson(value, 2)}\n`;
