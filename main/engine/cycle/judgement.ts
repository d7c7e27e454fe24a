/**
 * Judges a generator's writing by what it is never trained against: the loss of a larger language model of the same text, in nats
 * per token, and counts of variety and copying. Held-out text is measured too: a better score than natural text's is a warning.
 */
import { localized } from '../../../shared/messages/message.js';
import type { Judgement } from '../../../shared/reports/report.js';
import type * as tf from '@tensorflow/tfjs';
import { createWriter } from '../generate/generate.js';
import { createSharedParameters } from '../model/adapters.js';
import { createParameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import { createProgress } from '../train/progress.js';
import { scoreRows } from '../reward/score-rows.js';
import { meanOfCompletions } from '../grpo/reward-shape.js';
import { streams, uniformInt } from '../rng.js';
import { withSession } from '../runtime/session.js';
import { sequenceLogProbs } from '../model/sequence-scores.js';
import { type Drawing, samplingRule } from '../model/sampling-rule.js';
import { mean, meanInterval } from '../statistics/statistics.js';
import {
  copyLength,
  copyStatistics,
  shortCopyLength,
  textStatistics,
  type CopyIndex,
} from '../statistics/text-statistics.js';
import { shareOfKnownIn, type KnownWords } from '../statistics/words.js';
import type { Environment, LanguageModel, TokenIds, TokenSource } from '../types.js';
import type { TokenizationMethod, Vocabulary } from '../tokenizer/types.js';

export interface JudgementOptions extends Drawing {
  readonly judge: LanguageModel;
  readonly seed: number;
  readonly env: Environment;
  readonly valTokens: TokenSource;
  /** Of the training text, as `words`. */
  readonly copies: CopyIndex;
  /** Omit to leave out the share of known words. */
  readonly words?: KnownWords;
  readonly vocabulary?: Pick<Vocabulary, 'createDecoder' | 'decode'>;
  readonly tokenization: TokenizationMethod;
  readonly passages: number;
}

const BATCH = 64;

/** Kinds of passages, and their places in the noise. */
const UNCONDITIONAL = 0;
const PROMPTED = 1;

export interface JudgedPassages {
  readonly judgement: Judgement;
  /** The judge's nats per token of each passage. */
  readonly nats: Float64Array;
}

/** Judges passages of a generator, or natural text if it is null, always after the same prompts. */
export async function judgePassages(
  generator: LanguageModel | null,
  options: JudgementOptions,
): Promise<JudgedPassages> {
  const { judge, valTokens, copies, words, vocabulary, tokenization, passages, seed, env } = options;
  const T = judge.model.block_size;
  return withSession(env.runtime, async (session) => {
    const rule = samplingRule(options);
    const placed = generator && createParameters(session, generator.weights, 'writer.');
    const writer = generator && placed ? createWriter(session, generator.model, placed, BATCH, rule, env) : null;
    const own = { weights: generator?.weights ?? {}, parameters: placed ?? {} };
    const parameters = createSharedParameters(session, judge.model, judge.weights, 'judge.', own);
    const model = { ...judge.model, dropout: 0 };
    const score = session.compile((ids: tf.Tensor) => sequenceLogProbs(model, parameters, ids, { temperature: 1 }), {
      name: 'judge',
      precision: readingPrecision(env.runtime, model),
    });
    const progress = createProgress(env, 'evaluation', 'samples', 2 * passages);

    const judgeKind = async (kind: number) => {
      const prefixes = prefixesOf(valTokens, passages, T, seed, kind);
      const ids: TokenIds[] = [];
      for (let first = 0; first < passages; first += BATCH) {
        const batch = prefixes.slice(first, first + BATCH);
        ids.push(...(await write(batch, kind * passages + first)));
        progress.update(kind * passages + first + batch.length, localized('evaluation.progress.judge'));
      }
      const all = Uint32Array.from(ids.flatMap((part) => Array.from(part)));
      const logProbs = await scoreRows(all, T, T - 1, score, env);
      const lengths = prefixes.map(({ prefix }) => prefix.length);
      // Column t − 1 is the score of token t.
      const columns = lengths.map((length) => length - 1);
      const nats = meanOfCompletions(logProbs, columns).map((mean) => -mean);
      const texts = lengths.map((length, row) => all.subarray(row * T + length, (row + 1) * T));
      return { nats, mean: { mean: mean(nats), interval: meanInterval(nats) }, prefixes, texts };
    };

    async function write(batch: readonly Prefix[], first: number): Promise<TokenIds[]> {
      if (env.stop.requested) throw stoppedMeasuring();
      if (!writer) return batch.map(({ start }) => valTokens.read(start, T).slice());
      const places = batch.map(({ prefix }, row) => ({ prefix, index: first + row }));
      const written = await writer.complete(places, { seed, stream: streams.judgement });
      if (!written) throw stoppedMeasuring();
      return written.map(({ ids }) => ids);
    }

    const unconditional = await judgeKind(UNCONDITIONAL);
    const prompted = await judgeKind(PROMPTED);
    const { texts, prefixes } = unconditional;
    const completed = prefixes.map(({ prefix: prompt }, row) => ({
      prompt,
      completion: texts[row] ?? new Uint32Array(),
    }));
    // All have one length, so that shares are comparable with natural text's.
    const statistics = textStatistics(texts, copies, copyLength[tokenization]);
    const { distinct_1, distinct_2, distinct_3, copied_share, longest_repeated_run } = statistics;
    const shortCopies = texts.map((text) => copyStatistics(text, copies, shortCopyLength[tokenization]).copiedShare);
    const judgement = {
      unconditional: unconditional.mean,
      prompted: prompted.mean,
      distinct_1,
      distinct_2,
      distinct_3,
      words_known: shareOfKnownIn(completed, words ?? null, vocabulary),
      copied_share,
      longest_repeated_run,
      copied_share_short: mean(shortCopies),
      passages,
    };
    return { judgement, nats: Float64Array.from([...unconditional.nats, ...prompted.nats]) };
  });
}

interface Prefix {
  readonly prefix: TokenIds;
  /** Its place in the text, which has a whole block from there. */
  readonly start: number;
}

function prefixesOf(tokens: TokenSource, count: number, T: number, seed: number, kind: number): Prefix[] {
  return Array.from({ length: count }, (_, i) => {
    const place = (index: number, n: number) => uniformInt(seed, streams.judgement, kind, 2 * i + index, n);
    const start = place(0, tokens.length - T + 1);
    const length = kind === UNCONDITIONAL ? 1 : 1 + place(1, Math.max(1, Math.floor(T / 2)));
    return { prefix: tokens.read(start, length).slice(), start };
  });
}
