/** What base training begins from: nothing, or a model that can write already. The name is nanoGPT's. */
import { z } from 'zod';
import type { GPTConfig } from './model.js';
import { parameter } from './parameter.js';

const SCRATCH = 'scratch';

export const initShape = {
  init_from: parameter(z.string().min(1).optional(), { path: 'folder' }),
};

/** Settings that take a model that can write already: a path, or a name of the hub. */
export const namedModels: readonly string[] = ['init_from', 'critic_from'];

type Init = { readonly init_from?: unknown };

/** Whether a setting of these names a model, and not nothing. */
export const isNamed = (model: unknown): model is string =>
  typeof model === 'string' && model !== '' && model !== SCRATCH;

/** The path of the model to begin from; null for none. */
export const initialModelPath = ({ init_from }: Init): string | null => (isNamed(init_from) ? init_from : null);

/** The same settings, with the word for nothing left out: what was made before there was a choice stays what it is. */
export function withoutScratch<C extends Init>(config: C): C {
  const { init_from: _, ...rest } = config;
  return initialModelPath(config) === null ? (rest as C) : config;
}

/**
 * The same settings, without an architecture that is GPT-2's, or that a model to begin from decides: what was made before
 * there was a choice stays what it is.
 */
export function withoutUsualArchitecture<C extends Init & { readonly architecture?: unknown }>(config: C): C {
  const { architecture, ...rest } = config;
  return architecture === 'gpt2' || initialModelPath(config) !== null ? (rest as C) : config;
}

/** The requested settings of a project, without those of its initial models and of what it learned later. */
export function withoutTakenOver<C extends Init & { readonly architecture?: unknown }>(
  config: C & Partial<Readonly<Record<'llama' | 'modern' | 'critic_network' | 'learned_cycles', unknown>>>,
) {
  const { llama: _llama, modern: _modern, critic_network: _critic, learned_cycles: _learned, ...requested } = config;
  return withoutUsualArchitecture(requested);
}

/** What a project takes over from the model that it begins from, in place of settings of its own. */
export const takenOver = ({
  n_layer,
  n_head,
  n_embd,
  bias,
  vocab_size,
  architecture = 'gpt2',
  llama,
  modern,
}: GPTConfig) => ({
  n_layer,
  n_head,
  n_embd,
  bias,
  vocab_size,
  architecture,
  ...(llama ? { llama } : {}),
  ...(modern ? { modern } : {}),
});
