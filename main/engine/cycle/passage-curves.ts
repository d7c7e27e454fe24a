/**
 * Passages that writers are compared by at equal variety (statistics/frontier.ts): always after the same beginnings of held-out text, with the same noise, as
 * text, with what each is compared by. A writer is compiled once for a shape and a way of drawing tokens, and then given
 * the weights of one model after the other.
 */
import type * as tf from '@tensorflow/tfjs';
import { createWriter, joined, type Writer, type Written } from '../generate/generate.js';
import type { SamplingRule } from '../generate/sampling.js';
import { createParameters, writeParameters, type Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { sequenceLogProbs } from '../model/sequence-scores.js';
import type { LanguageModel } from '../reward/reward.js';
import { scoreRows } from '../reward/reward-scorer.js';
import { streams, uniformInt } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { novelShares, selfBleu } from '../statistics/variety.js';
import { allRows, meanVariety, type CurvePoint } from '../statistics/frontier.js';
import { copyStatistics, shortCopyLength, type CopyIndex } from '../statistics/text-statistics.js';
import type { TokenizationMethod, Vocabulary } from '../tokenizer/types.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import type { Environment, TokenIds, TokenSource } from '../types.js';

/** A way of writing, its temperature aside. */
export interface Way {
  readonly writer: LanguageModel;
  /** Only the likeliest tokens that have this share together. */
  readonly topP?: number;
  /** Of so many passages after each beginning, the one that the critic finds likeliest. */
  readonly best?: { readonly of: number; readonly critic: LanguageModel };
}

/** A point of a curve, with what else is told of it. */
export interface WrittenPoint extends CurvePoint {
  readonly selfBleu: Float64Array;
  /** Of each passage, in the short stretches of `shortCopyLength`. */
  readonly copied: Float64Array;
  /** Of the writer itself at the temperature, in nats, over each passage; null where tokens are left out or chosen among. */
  readonly entropy: Float64Array | null;
  readonly sample: string;
}

/** What a judge makes of each passage, as far as it reads: nats, and the characters that they are of. */
export interface Surprise {
  readonly nats: Float64Array;
  readonly characters: Float64Array;
}

/** A passage, as tokens and as text. */
export interface Passage {
  readonly ids: TokenIds;
  /** How many tokens were given, and what they say. */
  readonly given: number;
  readonly beginning: string;
  readonly completion: string;
}

interface PassageOptions {
  judge(passages: readonly Passage[], readers: Readers): Promise<Surprise>;
  readonly valTokens: TokenSource;
  /** What the project learns from: long enough to tell how varied so much of the text itself is. */
  readonly trainTokens: TokenSource;
  readonly copies: CopyIndex;
  readonly vocabulary: Pick<Vocabulary, 'decode'>;
  readonly tokenization: TokenizationMethod;
  readonly vocabLimit: number;
  /** Of every writer: what is written is of one length. */
  readonly blockSize: number;
  readonly passages: number;
  readonly seed: number;
  readonly env: Environment;
}

/** Tokens of text that each passage begins with. */
const GIVEN = 4;
const BATCH = 64;

type Passages = ReturnType<typeof createPassages>;

export function createPassages(options: PassageOptions) {
  const { valTokens, blockSize: T, passages, seed } = options;
  const given = Math.min(GIVEN, T - 1);
  const starts = Array.from({ length: passages }, (_, i) =>
    uniformInt(seed, streams.judgement, 2, i, valTokens.length - T + 1),
  );
  const readers = createReaders(options.env);
  const place = { ...options, given, starts, readers };
  const writers = createWriters(options);

  return {
    async point(way: Way, temperature: number): Promise<WrittenPoint> {
      const written = await writtenBy(way, writers.of(way), temperature, place);
      const isOwn = way.topP === undefined && !way.best;
      const entropy = isOwn
        ? Float64Array.from(written, ({ logProbs }) => -logProbs.reduce((sum, one) => sum + one, 0))
        : null;
      const ids = written.map((one) => one.ids);
      return { ...(await measured(ids, temperature, place)), entropy };
    },

    /**
     * Held-out text itself, as it goes on after the same beginnings. These may lie over each other, where it is short; how
     * varied the text is, is told of as many passages of the training text, which do so only where that is shorter still.
     */
    async natural(): Promise<Omit<WrittenPoint, 'entropy'>> {
      const texts = starts.map((start) => valTokens.read(start, T).slice());
      const { trainTokens, vocabulary } = options;
      const between = (trainTokens.length - T) / Math.max(1, passages - 1);
      const apart = starts.map((_, i) =>
        vocabulary.decode(trainTokens.read(Math.floor(i * between) + given, T - given).slice()),
      );
      return { ...(await measured(texts, 1, place)), variety: novelShares(apart), selfBleu: selfBleu(apart) };
    },

    dispose: () => {
      writers.dispose();
      readers.dispose();
    },
  };
}

/** Where all passages begin. */
interface Place extends PassageOptions {
  /** Tokens of each that are given. */
  readonly given: number;
  readonly starts: readonly number[];
  readonly readers: Readers;
}

/** Writers by shape and by how they draw tokens; the temperature is told with each batch. */
function createWriters({ vocabLimit, env }: PassageOptions) {
  const compiled = new Map<string, { session: Session; parameters: Parameters; writer: Writer }>();
  return {
    /** With the weights of this one; until the next is asked for. */
    of({ writer: { model, weights }, topP }: Way): Writer {
      const rule: SamplingRule = { temperature: 1, topK: null, vocabLimit, ...(topP === undefined ? {} : { topP }) };
      const key = JSON.stringify([model, rule]);
      const there = compiled.get(key);
      if (there) {
        writeParameters(there.session, there.parameters, weights);
        return there.writer;
      }
      const session = env.runtime.createSession();
      const parameters = createParameters(session, weights, 'writer.');
      const writer = createWriter(session, { ...model, dropout: 0 }, parameters, BATCH, rule, env);
      compiled.set(key, { session, parameters, writer });
      return writer;
    },
    dispose(): void {
      for (const { session } of compiled.values()) session.dispose();
      compiled.clear();
    },
  };
}

/** A passage after each beginning, or the best of several. */
async function writtenBy({ best }: Way, writer: Writer, temperature: number, place: Place): Promise<Written[]> {
  const chosen = await candidates(writer, temperature, 0, place);
  if (!best) return chosen;
  let found = await likelihoods(best.critic, chosen, place);
  for (let time = 1; time < best.of; time++) {
    const others = await candidates(writer, temperature, time, place);
    const theirs = await likelihoods(best.critic, others, place);
    others.forEach((one, row) => {
      if ((theirs[row] ?? NaN) > (found[row] ?? NaN)) chosen[row] = one;
    });
    found = found.map((own, row) => Math.max(own, theirs[row] ?? NaN));
  }
  return chosen;
}

async function candidates(writer: Writer, temperature: number, time: number, place: Place): Promise<Written[]> {
  const { starts, given, valTokens, blockSize, passages, seed, env } = place;
  const all: Written[] = [];
  for (let first = 0; first < passages; first += BATCH) {
    const batch = starts.slice(first, first + BATCH).map((start, row) => ({
      prefix: valTokens.read(start, given).slice(),
      index: 2 ** 24 + time * passages + first + row,
    }));
    const written = await writer.complete(batch, { seed, stream: streams.judgement }, blockSize, temperature);
    if (!written || env.stop.requested) throw stoppedMeasuring();
    all.push(...written);
  }
  return all;
}

/** log p of what was written of each passage. */
async function likelihoods(critic: LanguageModel, written: readonly Written[], place: Place): Promise<Float64Array> {
  const { blockSize: T, given, readers } = place;
  const logProbs = await readers.logProbs(critic, joined(written), T);
  return Float64Array.from(written, (_, row) =>
    logProbs.subarray(row * (T - 1) + given - 1, (row + 1) * (T - 1)).reduce((sum, one) => sum + one, 0),
  );
}

export type Readers = ReturnType<typeof createReaders>;

/** Models that read passages, each compiled once. */
function createReaders(env: Environment) {
  type Reader = { readonly session: Session; readonly score: (x: tf.Tensor) => tf.Tensor };
  const compiled = new Map<LanguageModel, Reader>();
  const readerOf = (of: LanguageModel): Reader => {
    const there = compiled.get(of);
    if (there) return there;
    const session = env.runtime.createSession();
    const parameters = createParameters(session, of.weights);
    const model = { ...of.model, dropout: 0 };
    const score = session.compile((x: tf.Tensor) => sequenceLogProbs(model, parameters, x, 1), {
      name: 'judge',
      precision: readingPrecision(env.runtime, model),
    });
    const made = { session, score };
    compiled.set(of, made);
    return made;
  };
  return {
    /** log p of tokens 1 … T − 1 of each passage, (count, T − 1) flat. @param ids (count, T) */
    logProbs: (of: LanguageModel, ids: TokenIds, T: number): Promise<Float32Array> =>
      scoreRows(ids, T, T - 1, readerOf(of).score, env),
    dispose(): void {
      for (const { session } of compiled.values()) session.dispose();
      compiled.clear();
    },
  };
}

/** What is told of passages, whoever wrote them. */
async function measured(
  ids: readonly TokenIds[],
  temperature: number,
  { given, vocabulary, copies, tokenization, judge, readers }: Place,
): Promise<Omit<WrittenPoint, 'entropy'>> {
  const judged = ids.map((own): Passage => {
    const beginning = vocabulary.decode(own.subarray(0, given));
    return { ids: own, given, beginning, completion: vocabulary.decode(own.subarray(given)) };
  });
  const completions = judged.map(({ completion }) => completion);
  const shortest = shortCopyLength[tokenization];
  const copied = ids.map((own) => copyStatistics(own.subarray(given), copies, shortest).copiedShare);
  return {
    temperature,
    ...(await judge(judged, readers)),
    variety: novelShares(completions),
    selfBleu: selfBleu(completions),
    copied: Float64Array.from(copied),
    sample: `${judged[0]?.beginning ?? ''}|${completions[0] ?? ''}`,
  };
}

/** How a curve goes on until it is as varied as wanted. */
const STEP = 0.1;
const HOTTEST = 1.6;
const COLDEST = 0.4;

/**
 * A way of writing at temperature 1, and hotter or colder until it is as varied as wanted, or does not come there.
 * @param always temperatures that are told besides
 */
export async function curveTo(
  wanted: number,
  passages: Passages,
  way: Way,
  always: readonly number[] = [],
): Promise<WrittenPoint[]> {
  const points: WrittenPoint[] = [];
  const take = async (temperature: number) => {
    const point = await passages.point(way, temperature);
    points.push(point);
    return meanVariety(point, allRows(point.nats.length));
  };
  const first = await take(1);
  const direction = first < wanted ? 1 : -1;
  for (let step = 1, variety = first; (variety - wanted) * direction < 0; step++) {
    const temperature = Number((1 + direction * step * STEP).toFixed(2));
    if (temperature > HOTTEST || temperature < COLDEST) break;
    variety = await take(temperature);
  }
  for (const temperature of always) {
    if (!points.some((point) => point.temperature === temperature)) await take(temperature);
  }
  return points;
}
