/** Writes what a person rates blind: passages of the text and of each generator, none of which says whose it is. */
import type { GenerationConfig } from '../../../shared/config/generation.js';
import { generate } from '../generate/generate.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import type { RatingPassage } from './ratings.js';
import type { LanguageModel } from '../reward/reward.js';
import { streams, uniformInt } from '../rng.js';
import type { Environment, TokenIds, TokenSource } from '../types.js';
import type { TokenizationMethod } from '../tokenizer/types.js';

/** Long enough to be judged: some forty words either way. */
export const passageTokens = { char: 240, bpe: 60, pretrained: 60 } as const;

export interface PassageOptions {
  readonly tokens: TokenSource;
  decode(ids: TokenIds): string;
  readonly method: TokenizationMethod;
  readonly vocabSize: number;
  readonly blockSize: number;
  readonly generation: GenerationConfig;
  readonly count: number;
  /** Each source has beginnings of its own, so that nobody can compare: 0 is the text, n base_model_vn. */
  readonly source: number;
  readonly seed: number;
  readonly env: Environment;
}

/** `count` passages by a generator, or of the text itself where that is null; the same for the same seed. */
export async function ratingPassages(
  generator: LanguageModel | null,
  options: PassageOptions,
): Promise<RatingPassage[]> {
  const { tokens, method, blockSize, count, source, seed, env } = options;
  const promptLength = Math.max(1, Math.min(blockSize >> 1, tokens.length >> 1));
  const length = Math.min(passageTokens[method], tokens.length - promptLength);
  const place = { seed, stream: streams.rating };
  const natural = Array.from({ length: count }, (_, i) => {
    const start = uniformInt(place.seed, place.stream, source, i, tokens.length - promptLength - length + 1);
    return tokens.read(start, promptLength + length).slice();
  });
  const whole = generator
    ? await generate({
        ...generator,
        prompts: natural.map((ids) => ids.subarray(0, promptLength)),
        newTokens: length,
        temperature: options.generation.temperature,
        topK: options.generation.top_k,
        vocabLimit: options.vocabSize,
        ...place,
        env,
      })
    : natural;
  // What was cut short would give itself away.
  if (env.stop.requested) throw stoppedMeasuring();
  return whole.map((ids) => ({
    prompt: options.decode(ids.subarray(0, promptLength)),
    text: options.decode(ids.subarray(promptLength)),
  }));
}
