/**
 * Writes passages for people to rate. Pairs: every source continues the same held-out prompts. Boundaries: a passage starts
 * natural, and a generator continues it from a word on. A passage depends only on weights, seed and its place.
 */
import { wordsOf } from '../../../shared/base/words-of.js';
import type { ReadingConfig } from '../../../shared/config/generation.js';
import { createWriter, noLongerThan, writeOn, type Writer } from '../generate/generate.js';
import { createParameters } from '../model/model.js';
import { readingRule } from '../model/sampling-rule.js';
import { streams, uniformInt } from '../rng.js';
import { withSession } from '../runtime/session.js';
import type { Session } from '../runtime/types.js';
import {
  cutAtCharacter,
  decodeContinued,
  tokenTexts,
  type TokenizationMethod,
  type Vocabulary,
} from '../tokenizer/types.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import type { Environment, LanguageModel, TokenIds, TokenSource } from '../types.js';
import { cycleSeed } from './cycle-types.js';

export interface RatingPassage {
  readonly prompt: string;
  readonly text: string;
}

interface PassageOptions {
  readonly tokens: TokenSource;
  readonly vocabulary: Vocabulary;
  readonly method: TokenizationMethod;
  readonly blockSize: number;
  readonly generation: ReadingConfig;
  /** Passages from place `from` up to `count`. */
  readonly from: number;
  readonly count: number;
  /** 0 is the text, n is base_model_vn. */
  readonly source: number;
  readonly seed: number;
  readonly env: Environment;
}

/** Batch size, fixed so that a passage does not depend on how many are written. */
const BATCH = 8;
/** Steps of the random stream for pairs and boundaries. */
const PAIR_STEP = 2 ** 20;
const BOUNDARY_STEP = 2 ** 21;
/** Seeds beyond those of all cycles: max_cycles is at most 10,000. */
const PAIR_SEED = 20_000;
const BOUNDARY_SEED = 40_000;
/** Positions in the noise per batch. */
const NOISE_OF_BATCH = 2 ** 16;

/** Tokens of a continuation, about forty words, and of a boundary passage. */
const pairTokens = { char: 240, bpe: 60, pretrained: 60 } as const;
const boundaryTokens = { char: 480, bpe: 120, pretrained: 120 } as const;

/** Continues the same prompts in the same order for every source; null continues with the text itself. */
export async function pairPassages(generator: LanguageModel | null, options: PassageOptions): Promise<RatingPassage[]> {
  const { tokens, method, blockSize, seed, source, vocabulary } = options;
  const promptLength = Math.max(1, Math.min(blockSize >> 1, tokens.length >> 1));
  const length = Math.min(pairTokens[method], tokens.length - promptLength);
  const starts = tokens.length - promptLength - length + 1;
  const naturalAt = (place: number): Excerpt => {
    const start = uniformInt(seed, streams.rating, PAIR_STEP, place, starts);
    const ids = tokens.read(start, promptLength + length).slice();
    const given = cutAtCharacter(vocabulary, ids, promptLength);
    return { ids: ids.subarray(0, given + length), given };
  };
  const noise = { seed: cycleSeed(seed, PAIR_SEED + source), stream: streams.rating };
  return written(generator, options, naturalAt, async (writer, batch, T) => {
    const prompts = batch.map(({ ids, given }) => ids.subarray(0, given));
    const { texts, done } = await writeOn(writer, prompts, length, T, noise);
    return done ? texts : null;
  });
}

/** Writes passages that start natural and end with the generator's tokens; null keeps them natural to the end. */
export async function boundaryPassages(
  generator: LanguageModel | null,
  options: PassageOptions,
): Promise<RatingPassage[]> {
  const { tokens, method, blockSize, seed, source, vocabulary } = options;
  const length = Math.min(blockSize, boundaryTokens[method], tokens.length);
  const step = BOUNDARY_STEP + 2 * source;
  const naturalAt = (place: number): Excerpt => {
    const start = uniformInt(seed, streams.rating, step, place, tokens.length - length + 1);
    const ids = tokens.read(start, length).slice();
    if (!generator || length < 2) return { ids, given: length };
    const wanted = 1 + uniformInt(seed, streams.rating, step + 1, place, length - 1);
    return { ids, given: wordStartNear(vocabulary, ids, wanted) };
  };
  const noise = { seed: cycleSeed(seed, BOUNDARY_SEED + source), stream: streams.rating };
  return written(generator, options, naturalAt, async (writer, batch) => {
    const passages = batch.map(({ ids, given }, index) => ({ prefix: ids.subarray(0, given), index }));
    return (await writer.complete(passages, noise, length))?.map(({ ids }) => ids.subarray(0, length)) ?? null;
  });
}

/** An excerpt of the text, of which the first `given` tokens are the prompt. */
interface Excerpt {
  readonly ids: TokenIds;
  readonly given: number;
}

/** Finds the nearest start of a word in any script, so that the boundary splits neither words nor characters. */
function wordStartNear(vocabulary: PassageOptions['vocabulary'], ids: TokenIds, wanted: number): number {
  const texts = tokenTexts(vocabulary, ids);
  const starts = new Set<number>();
  let end = 0;
  for (const word of wordsOf(texts.join(''))) {
    // A token may hold the whitespace before its word.
    for (let at = end + word.trimEnd().length; at <= end + word.length; at++) starts.add(at);
    end += word.length;
  }
  const lengths = texts.map((_, at) => texts.slice(0, at).join('').length);
  const isStart = (at: number) => {
    const length = lengths[at] ?? -1;
    return at >= 1 && starts.has(length) && vocabulary.decode(ids.subarray(0, at)).length === length;
  };
  const near = texts.flatMap((_, away) => [wanted + away, wanted - away]);
  return near.find(isStart) ?? wanted;
}

/**
 * Writes whole batches and leaves out the passages that exist already.
 * @throws UserError `stopped`: a passage that was cut short would reveal its author
 */
async function written(
  generator: LanguageModel | null,
  { from, count, generation, vocabulary, env }: PassageOptions,
  naturalAt: (place: number) => Excerpt,
  write: (writer: Writer, batch: readonly Excerpt[], T: number) => Promise<readonly TokenIds[] | null>,
): Promise<RatingPassage[]> {
  const first = Math.floor(from / BATCH) * BATCH;
  const all = Array.from({ length: Math.ceil((count - first) / BATCH) * BATCH }, (_, at) => naturalAt(first + at));
  return withSession(env.runtime, async (session) => {
    const writer = generator ? writerOf(session, generator, all, { generation, vocabulary, env }) : null;
    const passages: RatingPassage[] = [];
    for (let at = 0; at < all.length; at += BATCH) {
      const batch = all.slice(at, at + BATCH);
      const texts = writer
        ? await write(withNoiseOf(writer.writer, (first + at) / BATCH), batch, writer.T)
        : batch.map(({ ids }) => ids);
      if (!texts || env.stop.requested) throw stoppedMeasuring();
      texts.forEach((ids, row) => {
        const { prompt, completion } = decodeContinued(vocabulary, ids, batch[row]?.given ?? 0);
        // A passage may start or end within a character.
        passages.push({ prompt: prompt.replace(/^\uFFFD+/u, ''), text: completion.replace(/\uFFFD+$/u, '') });
      });
    }
    return passages.slice(from - first, count - first);
  });
}

function writerOf(
  session: Session,
  generator: LanguageModel,
  excerpts: readonly Excerpt[],
  { generation, vocabulary, env }: Pick<PassageOptions, 'generation' | 'vocabulary' | 'env'>,
) {
  const model = noLongerThan(generator.model, Math.max(1, ...excerpts.map(({ ids }) => ids.length)));
  const rule = readingRule({ generation, vocabLimit: vocabulary.vocabSize, excluded: vocabulary.special });
  const parameters = createParameters(session, generator.weights);
  return { writer: createWriter(session, model, parameters, BATCH, rule, env), T: model.block_size };
}

/** Gives each batch its own noise. */
const withNoiseOf = (writer: Writer, part: number): Writer => ({
  complete: (passages, noise, length) =>
    writer.complete(
      passages.map(({ prefix, index }) => ({ prefix, index: part * NOISE_OF_BATCH + index })),
      noise,
      length,
    ),
});
