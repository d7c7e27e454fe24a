/** Reads what make_llama.py wrote: tiny models of Llama's family and of NanoChat, and what transformers computes with them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { selectPrefix } from '../../main/engine/model/named-arrays.js';
import type { NamedArrays } from '../../main/engine/types.js';
import { findForeignModel, loadForeignModel } from '../../main/storage/projects/foreign-models.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { readArrays } from './fixture.js';

export const llamaNames = ['llama', 'llama3', 'linear', 'qwen2', 'qwen3'] as const;
export const nanochatNames = ['nanochat', 'nanochat-tied'] as const;
type LlamaName = (typeof llamaNames)[number] | (typeof nanochatNames)[number];

export interface LlamaFacts {
  /** A batch of (3, 21): each token but the first is predicted. */
  readonly ids: readonly (readonly number[])[];
  readonly loss: number;
  /** How many of each row's tokens were given, and these with the 64 likeliest after them. */
  readonly prompt: number;
  readonly greedy: readonly (readonly number[])[];
}

export interface LlamaFixture {
  readonly name: LlamaName;
  readonly facts: LlamaFacts;
  readonly config: GPTConfig;
  readonly weights: NamedArrays;
  /** (3, 20, V) */
  readonly logits: Float32Array;
  /** Of the loss, by parameter. */
  readonly gradients: NamedArrays;
}

/** The folder as transformers saved it. */
export const llamaFolder = (name: LlamaName): string =>
  fileURLToPath(new URL(`./fixtures/llama/${name}`, import.meta.url));

const facts = JSON.parse(readFileSync(new URL('./fixtures/llama/llama.json', import.meta.url), 'utf8')) as Readonly<
  Record<LlamaName, LlamaFacts>
>;

export function readLlamaFixture(name: LlamaName): LlamaFixture {
  const found = findForeignModel(llamaFolder(name));
  if (!found) throw new Error(`the fixture ${name} is not a model`);
  const { config, weights } = loadForeignModel(found);
  const arrays = readArrays(`llama/${name}`);
  return {
    name,
    facts: facts[name],
    config,
    weights,
    logits: arrays['logits']?.data ?? new Float32Array(),
    gradients: selectPrefix(arrays, 'gradient.') ?? {},
  };
}
