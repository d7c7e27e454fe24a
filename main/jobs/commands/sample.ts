/** Writes continuations of a prompt, the same for the same seed. */
import type { ReadingConfig } from '../../../shared/config/generation.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { generate } from '../../engine/generate/generate.js';
import { readingRule } from '../../engine/model/sampling-rule.js';
import { streams } from '../../engine/rng.js';
import { decodeContinued, type Tokenizer, tokenTexts } from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { fetchNamedModel, openModel } from '../models.js';
import { beginning, tokenizerOf } from '../text.js';
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
  const { num_samples, max_new_tokens, seed } = config;
  const { config: model, weights, tokenization } = openModel(config.model_path, 'generator', { context });
  const tokenizer = await tokenizerOf(tokenization);
  const prompt = config.prompt ?? beginning(tokenization.chars);
  const { kept, blank, others } = withoutBlank(tokenizer, prompt);
  const start = encodePrompt(tokenizer, kept);
  const env = await environmentOf(context);
  const how = {
    model,
    weights,
    ...readingRule({ generation: config, vocabLimit: tokenizer.vocabSize, excluded: tokenizer.special }),
    seed,
    stream: streams.sample,
    env,
  };
  let prompts = Array.from({ length: num_samples }, () => start);
  if (blank !== '')
    prompts = await generate({ ...how, prompts, newTokens: 1, excluded: [...tokenizer.special, ...others] });
  const newTokens = max_new_tokens - (blank === '' ? 0 : 1);
  const texts = await generate({ ...how, prompts, newTokens });
  // A stopped engine returns incomplete samples.
  if (context.stop.requested) throw interrupted();
  const samples = texts.map((ids) => {
    const { completion } = decodeContinued(tokenizer, ids, start.length);
    return { prompt, completion: completion.slice(blank.length) };
  });
  samples.forEach((sample, index) => context.emit({ event: 'sample', label: `sample ${index + 1}`, ...sample }));
  return { samples, model_path: config.model_path };
};

/**
 * Takes the blank from the end of a prompt, since the next token of a model carries it: with the blank, the prompt would end in
 * a token that hardly any text has there.
 * @returns the tokens that the continuation cannot begin with, as they have no blank
 */
export function withoutBlank(tokenizer: Tokenizer, prompt: string) {
  const whole = { kept: prompt, blank: '', others: [] as readonly number[] };
  if (tokenizer.method === 'char' || !prompt.endsWith(' ') || prompt.trim() === '') return whole;
  const [letter = 0] = tokenizer.encode('a').slice(-1);
  // After a letter each token is in the middle of a text, and ends what the token before it left open.
  const ids = Array.from({ length: 2 * tokenizer.vocabSize }, (_, i) => (i % 2 === 0 ? letter : i >> 1));
  const texts = tokenTexts(tokenizer, ids);
  const others = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
    (id) => texts[2 * id + 1]?.startsWith(' ') !== true,
  );
  return others.length === tokenizer.vocabSize ? whole : { kept: prompt.slice(0, -1), blank: ' ', others };
}

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
