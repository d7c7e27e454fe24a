/**
 * Passages for the two tasks that compare: pairs, where every source continues the same held-out prompts, and boundaries,
 * which begin natural and, if a generator wrote them, stop being so at a word. A passage is a function of (weights,
 * seed, its place), whatever is written beside it, so that more of them leave those that are there as they are.
 */
import { createWriter, noLongerThan, writeOn, type Writer } from '../generate/generate.js';
import { createParameters } from '../model/model.js';
import type { LanguageModel } from '../reward/reward.js';
import { streams, uniformInt } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import type { TokenIds } from '../types.js';
import { cycleSeed } from './cycle-types.js';
import { passageTokens, type PassageOptions } from './rating-passages.js';
import type { RatingPassage } from './ratings.js';

interface TaskPassageOptions extends PassageOptions {
  /** Passages from this place on, up to `count`. */
  readonly from: number;
}

/** Written together, always, so that numbers do not depend on how many are asked for. */
const BATCH = 8;
/** Beyond the steps that single passages take, one for each source. */
const PAIR_STEP = 2 ** 20;
const BOUNDARY_STEP = 2 ** 21;
/** Beyond the seeds of all cycles: max_cycles is at most 10,000. */
const PAIR_SEED = 20_000;
const BOUNDARY_SEED = 40_000;
/** Places of a batch in the noise; windows of one passage take a few. */
const NOISE_OF_BATCH = 2 ** 16;

/** By tokens: as long as the reward model sees, and no longer than a person likes to read. */
const boundaryTokens = { char: 480, bpe: 120, pretrained: 120 } as const;

/** Every source's continuation of the same prompts, in the same order. */
export async function pairPassages(
  generator: LanguageModel | null,
  options: TaskPassageOptions,
): Promise<RatingPassage[]> {
  const { tokens, method, blockSize, seed, source } = options;
  const promptLength = Math.max(1, Math.min(blockSize >> 1, tokens.length >> 1));
  const length = Math.min(passageTokens[method], tokens.length - promptLength);
  const starts = tokens.length - promptLength - length + 1;
  const naturalAt = (place: number): Stretch => {
    const start = uniformInt(seed, streams.rating, PAIR_STEP, place, starts);
    return { ids: tokens.read(start, promptLength + length).slice(), given: promptLength };
  };
  const noise = { seed: cycleSeed(seed, PAIR_SEED + source), stream: streams.rating };
  return written(generator, options, naturalAt, async (writer, batch, T) => {
    const prompts = batch.map(({ ids }) => ids.subarray(0, promptLength));
    const { texts, done } = await writeOn(writer, prompts, length, T, noise);
    return done ? texts : null;
  });
}

/** Passages whose first tokens are natural and whose rest the generator wrote; of the text: natural to the end. */
export async function boundaryPassages(
  generator: LanguageModel | null,
  options: TaskPassageOptions,
): Promise<RatingPassage[]> {
  const { tokens, method, blockSize, seed, source, decode } = options;
  const length = Math.min(blockSize, boundaryTokens[method], tokens.length);
  const step = BOUNDARY_STEP + 2 * source;
  const naturalAt = (place: number): Stretch => {
    const start = uniformInt(seed, streams.rating, step, place, tokens.length - length + 1);
    const ids = tokens.read(start, length).slice();
    if (!generator || length < 2) return { ids, given: length };
    return {
      ids,
      given: wordStartNear(ids, 1 + uniformInt(seed, streams.rating, step + 1, place, length - 1), decode),
    };
  };
  const noise = { seed: cycleSeed(seed, BOUNDARY_SEED + source), stream: streams.rating };
  return written(generator, options, naturalAt, async (writer, batch) => {
    const passages = batch.map(({ ids, given }, index) => ({ prefix: ids.subarray(0, given), index }));
    return (await writer.complete(passages, noise, length))?.map(({ ids }) => ids.subarray(0, length)) ?? null;
  });
}

/** A natural stretch, of whose tokens so many are given. */
interface Stretch {
  readonly ids: TokenIds;
  readonly given: number;
}

/** The beginning of a word that is nearest to a place, so that nobody sees half a word of each. */
function wordStartNear(ids: TokenIds, wanted: number, decode: (ids: TokenIds) => string): number {
  const starts = (at: number) =>
    /\s$/u.test(decode(ids.subarray(at - 1, at))) || /^\s/u.test(decode(ids.subarray(at, at + 1)));
  for (let away = 0; away < ids.length; away++) {
    for (const at of [wanted + away, wanted - away]) if (at >= 1 && at < ids.length && starts(at)) return at;
  }
  return wanted;
}

/**
 * Natural stretches, of which a generator writes what follows their given tokens anew: whole batches, of which what is
 * there already is left out.
 * @throws UserError `stopped`: what was cut short would give itself away
 */
async function written(
  generator: LanguageModel | null,
  { from, count, generation, vocabSize, decode, env }: TaskPassageOptions,
  naturalAt: (place: number) => Stretch,
  write: (writer: Writer, batch: readonly Stretch[], T: number) => Promise<readonly TokenIds[] | null>,
): Promise<RatingPassage[]> {
  const first = Math.floor(from / BATCH) * BATCH;
  const all = Array.from({ length: Math.ceil((count - first) / BATCH) * BATCH }, (_, at) => naturalAt(first + at));
  const session = env.runtime.createSession();
  try {
    const writer = generator ? writerOf(session, generator, all, { generation, vocabSize, env }) : null;
    const made: RatingPassage[] = [];
    for (let at = 0; at < all.length; at += BATCH) {
      const batch = all.slice(at, at + BATCH);
      const texts = writer
        ? await write(inPartOfNoise(writer.writer, (first + at) / BATCH), batch, writer.T)
        : batch.map(({ ids }) => ids);
      if (!texts || env.stop.requested) throw stoppedMeasuring();
      texts.forEach((ids, row) => {
        const given = batch[row]?.given ?? 0;
        made.push({ prompt: decode(ids.subarray(0, given)), text: decode(ids.subarray(given)) });
      });
    }
    return made.slice(from - first, count - first);
  } finally {
    session.dispose();
  }
}

function writerOf(
  session: Session,
  generator: LanguageModel,
  stretches: readonly Stretch[],
  { generation, vocabSize, env }: Pick<TaskPassageOptions, 'generation' | 'vocabSize' | 'env'>,
) {
  const model = noLongerThan(generator.model, Math.max(1, ...stretches.map(({ ids }) => ids.length)));
  const rule = { temperature: generation.temperature, topK: generation.top_k, vocabLimit: vocabSize };
  const parameters = createParameters(session, generator.weights);
  return { writer: createWriter(session, model, parameters, BATCH, rule, env), T: model.block_size };
}

/** The same writer, in a part of the noise that no other batch uses. */
const inPartOfNoise = (writer: Writer, part: number): Writer => ({
  complete: (passages, noise, length) =>
    writer.complete(
      passages.map(({ prefix, index }) => ({ prefix, index: part * NOISE_OF_BATCH + index })),
      noise,
      length,
    ),
});
