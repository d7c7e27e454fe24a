/**
 * What a person makes of the writing (seed 000, part 4, step 4: "periodically generate samples and have humans rate
 * them"): passages of the text and of each generator, none of which says whose it is, and what the ratings come to. Pure but for writing.
 */
import type { GenerationConfig } from '../../shared/config/generation.js';
import { generate } from './generate.js';
import { stoppedMeasuring } from './perplexity.js';
import type { LanguageModel } from './reward.js';
import { streams, uniformInt } from './rng.js';
import { type Interval, shareDifference, shareInterval } from './statistics.js';
import type { Environment, TokenSource } from './types.js';

export interface RatingPassage {
  /** Held-out text, for the reader to know where the passage begins. */
  readonly prompt: string;
  /** What follows it: in the text, or by a generator. */
  readonly text: string;
}

/** Long enough to be judged: some forty words either way. */
const passageTokens = { char: 240, bpe: 60 } as const;

export interface PassageOptions {
  readonly tokens: TokenSource;
  decode(ids: Uint16Array): string;
  readonly method: 'bpe' | 'char';
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

export const verdicts = ['natural', 'generated'] as const;
export type Verdict = (typeof verdicts)[number];

/** A type, not an interface, so that it is JSON for reports. */
export type RatedSource = {
  readonly source: string;
  readonly rated: number;
  readonly taken_for_natural: number;
  readonly interval: Interval | null;
};

export type RatingReport = {
  /** The text first, then the generators in order. */
  readonly sources: readonly RatedSource[];
  /** The newest generator against the one before. */
  readonly verdict: 'too_few' | 'better' | 'worse' | 'no_clear_change';
  /** By how much more often the newest is taken for natural. */
  readonly change: Interval | null;
};

/** Below this many of each no difference is told. */
export const FEWEST_RATINGS = 10;

/** @param sources the text, then the generators in order */
export function ratingReport(
  sources: readonly string[],
  ratings: readonly { readonly source: string; readonly verdict: Verdict }[],
): RatingReport {
  const rows = sources.map((source): RatedSource => {
    const own = ratings.filter((rating) => rating.source === source);
    const taken = own.filter(({ verdict }) => verdict === 'natural').length;
    return { source, rated: own.length, taken_for_natural: taken, interval: shareInterval(taken, own.length) };
  });
  const [before, newest] = rows.length > 2 ? rows.slice(-2) : [];
  if (!before || !newest || Math.min(before.rated, newest.rated) < FEWEST_RATINGS)
    return { sources: rows, verdict: 'too_few', change: null };
  const [first, second] = [before, newest].map(({ taken_for_natural, rated }) => ({
    successes: taken_for_natural,
    count: rated,
  }));
  const change = first && second ? shareDifference(first, second) : null;
  const verdict = change && change.low > 0 ? 'better' : change && change.high < 0 ? 'worse' : 'no_clear_change';
  return { sources: rows, verdict, change };
}
