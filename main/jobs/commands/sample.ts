/** Lets a model write: continuations of a prompt, the same for the same seed. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { ReadingConfig } from '../../../shared/config/generation.js';
import { generate } from '../../engine/generate/generate.js';
import { streams } from '../../engine/rng.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import { fetchNamedModel } from '../hub-models.js';
import { openModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, interrupted, type Job } from '../types.js';
import type { TokenIds } from '../../engine/types.js';

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
  // The engine hands over what it has when it is asked to stop; half a sample is no answer.
  if (context.stop.requested) throw interrupted();
  const samples = texts.map((ids) => ({ prompt, completion: tokenizer.decode(ids.subarray(start.length)) }));
  samples.forEach((sample, index) => context.emit({ event: 'sample', label: `sample ${index + 1}`, ...sample }));
  return { samples, model_path: config.model_path };
};

/** A new line, as nanoGPT begins; a model that knows none begins with the first character it knows. */
export const beginning = (chars: readonly string[] | undefined) =>
  chars === undefined || chars.includes('\n') ? '\n' : (chars[0] ?? '\n');

/** A character that the model has never seen is told in terms of the prompt. */
function encodePrompt(tokenizer: Tokenizer, prompt: string): TokenIds {
  const words = {
    hint: 'Write the prompt with characters of the text that the model was trained on.',
    field: 'prompt',
  };
  if (prompt === '') throw new UserError({ code: 'bad_input', message: localized('sample.empty_prompt'), ...words });
  try {
    return tokenizer.encode(prompt);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      { ...error.toFault(), message: localized('sample.in_prompt', { message: error.message }), ...words },
      { cause: error },
    );
  }
}
