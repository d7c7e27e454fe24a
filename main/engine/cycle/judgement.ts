/**
 * How good is what a generator writes, by judges it is never trained against: a larger language model of the same text
 * says how surprised it is (nats per token), and plain counts say how varied the writing is and how much of it is copied.
 * Natural held-out text is measured beside it: a score better than nature's is a warning, not a success.
 */
import type { Judgement } from '../../../shared/reports/report.js';
import type * as tf from '@tensorflow/tfjs';
import type { GenerationConfig } from '../../../shared/config/generation.js';
import { createWriter, type Passage } from '../generate/generate.js';
import { createSharedParameters } from '../model/adapters.js';
import { createParameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import { createProgress } from '../train/progress.js';
import type { LanguageModel } from '../reward/reward.js';
import { scoreRows } from '../reward/score-rows.js';
import { meanOfCompletions } from '../grpo/reward-shape.js';
import { streams, uniformInt } from '../rng.js';
import { sequenceLogProbs } from '../model/sequence-scores.js';
import { mean, meanInterval } from '../statistics/statistics.js';
import {
  copyLength,
  copyStatistics,
  shortCopyLength,
  textStatistics,
  type CopyIndex,
} from '../statistics/text-statistics.js';
import { shareOfKnownIn, type KnownWords } from '../statistics/words.js';
import type { Environment, TokenIds, TokenSource } from '../types.js';
import type { TokenizationMethod, Vocabulary } from '../tokenizer/types.js';

/** What everything that is judged independently takes. */
export interface IndependentJudge {
  readonly judge: LanguageModel;
  readonly vocabLimit: number;
  readonly seed: number;
  readonly env: Environment;
}

export interface JudgementOptions extends IndependentJudge {
  readonly valTokens: TokenSource;
  /** Of the training text. */
  readonly copies: CopyIndex;
  /** Of the training text, too; with what reads tokens. Left out: words are not looked at. */
  readonly words?: KnownWords;
  readonly vocabulary?: Pick<Vocabulary, 'decode'>;
  readonly tokenization: TokenizationMethod;
  readonly generation: GenerationConfig;
  /** Passages of each of the two sorts. */
  readonly passages: number;
}

/** Passages written side by side. */
const BATCH = 64;

/** The two places in the noise of `streams.judgement`. */
const UNCONDITIONAL = 0;
const PROMPTED = 1;

/** A judgement with the judge's nats per token of each passage, always after the same prompts. */
export interface JudgedPassages {
  readonly judgement: Judgement;
  readonly nats: Float64Array;
}

/** Judges a generator's writing, or natural text if `generator` is null; always after the same prompts. */
export async function judgePassages(
  generator: LanguageModel | null,
  options: JudgementOptions,
): Promise<JudgedPassages> {
  const { judge, valTokens, copies, words, vocabulary, tokenization, generation, vocabLimit, passages, seed, env } =
    options;
  const T = judge.model.block_size;
  const session = env.runtime.createSession();
  try {
    const rule = { temperature: generation.temperature, topK: generation.top_k, vocabLimit };
    const placed = generator && createParameters(session, generator.weights, 'writer.');
    const writer = generator && placed ? createWriter(session, generator.model, placed, BATCH, rule, env) : null;
    const there = { weights: generator?.weights ?? {}, parameters: placed ?? {} };
    const parameters = createSharedParameters(session, judge.model, judge.weights, 'judge.', there);
    const model = { ...judge.model, dropout: 0 };
    const score = session.compile((ids: tf.Tensor) => sequenceLogProbs(model, parameters, ids, 1), {
      name: 'judge',
      precision: readingPrecision(env.runtime, model),
    });
    const progress = createProgress(env, 'evaluation', 'samples', 2 * passages);

    const judged = async (sort: number) => {
      const prefixes = prefixesOf(valTokens, passages, T, seed, sort);
      const ids: TokenIds[] = [];
      for (let first = 0; first < passages; first += BATCH) {
        const batch = prefixes.slice(first, first + BATCH);
        ids.push(...(await written(batch, sort * passages + first)));
        progress.update(sort * passages + first + batch.length, 'reading with the judge');
      }
      const all = Uint32Array.from(ids.flatMap((part) => Array.from(part)));
      const logProbs = await scoreRows(all, T, T - 1, score, env);
      const lengths = prefixes.map(({ prefix }) => prefix.length);
      // Column t − 1 is the score of token t: a prompt of n tokens leaves n − 1 columns out.
      const columns = lengths.map((length) => length - 1);
      const nats = meanOfCompletions(
        logProbs.map((value) => -value),
        columns,
      );
      const texts = lengths.map((length, row) => all.subarray(row * T + length, (row + 1) * T));
      return { nats, mean: { mean: mean(nats), interval: meanInterval(nats) }, prefixes, texts };
    };

    async function written(batch: readonly Prefix[], first: number): Promise<TokenIds[]> {
      if (env.stop.requested) throw stoppedMeasuring();
      if (!writer) return batch.map(({ start }) => valTokens.read(start, T).slice());
      const asked: Passage[] = batch.map(({ prefix }, row) => ({ prefix, index: first + row }));
      const done = await writer.complete(asked, { seed, stream: streams.judgement });
      if (!done) throw stoppedMeasuring();
      return done.map(({ ids }) => ids);
    }

    const unconditional = await judged(UNCONDITIONAL);
    const prompted = await judged(PROMPTED);
    // All of one length, so that shares can be compared with those of natural text.
    const { distinct_1, distinct_2, distinct_3, copied_share, longest_repeated_run } = textStatistics(
      unconditional.texts,
      copies,
      copyLength[tokenization],
    );
    const shortCopies = unconditional.texts.map(
      (text) => copyStatistics(text, copies, shortCopyLength[tokenization]).copiedShare,
    );
    const judgement = {
      unconditional: unconditional.mean,
      prompted: prompted.mean,
      distinct_1,
      distinct_2,
      distinct_3,
      words_known: shareOfKnownIn(passagesOf(unconditional), words ?? null, vocabulary),
      copied_share,
      longest_repeated_run,
      copied_share_short: mean(shortCopies),
      passages,
    };
    return { judgement, nats: Float64Array.from([...unconditional.nats, ...prompted.nats]) };
  } finally {
    session.dispose();
  }
}

interface Prefix {
  readonly prefix: TokenIds;
  /** Where it stands in the text, which continues from there for a whole block. */
  readonly start: number;
}

const passagesOf = (judged: { readonly prefixes: readonly Prefix[]; readonly texts: readonly TokenIds[] }) =>
  judged.prefixes.map(({ prefix: prompt }, row) => ({ prompt, completion: judged.texts[row] ?? new Uint32Array(0) }));

function prefixesOf(tokens: TokenSource, count: number, T: number, seed: number, sort: number): Prefix[] {
  return Array.from({ length: count }, (_, i) => {
    const place = (index: number, n: number) => uniformInt(seed, streams.judgement, sort, 2 * i + index, n);
    const start = place(0, tokens.length - T + 1);
    const length = sort === UNCONDITIONAL ? 1 : 1 + place(1, Math.max(1, Math.floor(T / 2)));
    return { prefix: tokens.read(start, length).slice(), start };
  });
}
