/** Writes continuations of a prompt, the same for the same seed. */
import type { ReadingConfig } from '../../../shared/config/generation.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { generate } from '../../engine/generate/generate.js';
import { streams } from '../../engine/rng.js';
import { decodeContinued, type Tokenizer } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { fetchNamedModel, openModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, interrupted, type Job } from '../types.js';

interface SampleSettings extends ReadingConfig {
  readonly model_path: string;
  readonly prompt?: string | undefined;
  readonly num_samples: number;
  readonly max_new_tokens: number;
  readonly seed: number;
}

export const sampleJob: Job<SampleSettings> = async (config, context) => {
  await fetchNamedModel(config.model_path, context);
  const { num_samples, max_new_tokens, temperature, top_k, top_p, seed } = config;
  const { config: model, weights, tokenization } = openModel(config.model_path, 'generator', { context });
  const tokenizer = await tokenizerOf(tokenization);
  const prompt = config.prompt ?? beginning(tokenization.chars);
  const start = encodePrompt(tokenizer, prompt);
  const env = await environmentOf(context);
  const texts = await generate({
    model,
    weights,
    prompts: Array.from({ length: num_samples }, () => start),
    newTokens: max_new_tokens,
    temperature,
    topK: top_k,
    topP: top_p,
    vocabLimit: tokenizer.vocabSize,
    seed,
    stream: streams.sample,
    env,
  });
  // A stopped engine returns incomplete samples.
  if (context.stop.requested) throw interrupted();
  const samples = texts.map((ids) => ({ ...decodeContinued(tokenizer, ids, start.length), prompt }));
  samples.forEach((sample, index) => context.emit({ event: 'sample', label: `sample ${index + 1}`, ...sample }));
  return { samples, model_path: config.model_path };
};

/** The default prompt: a new line, as in nanoGPT, or the model's first character if it has none. */
export const beginning = (chars: readonly string[] | undefined) =>
  chars === undefined || chars.includes('\n') ? '\n' : (chars[0] ?? '\n');

/** @throws UserError about the prompt, for example for an unknown character */
function encodePrompt(tokenizer: Tokenizer, prompt: string): TokenIds {
  const about = { hint: localized('sample.known_characters'), field: 'prompt' };
  if (prompt === '') throw new UserError({ code: 'bad_input', message: localized('sample.empty_prompt'), ...about });
  try {
    return tokenizer.encode(prompt);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const fault = error.toFault();
    const message = localized('sample.in_prompt', { message: fault.message as Message });
    throw new UserError({ ...fault, message, ...about }, { cause: error });
  }
}
