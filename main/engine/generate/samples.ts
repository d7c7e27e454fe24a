/**
 * Samples during training: the same openings with the same noise at every evaluation, for comparison; what is written is emitted
 * as it grows. Their length depends on the settings alone, so a resumed run writes the same. Their cost is bounded (`SHARE`), if
 * needed by skipping evaluations.
 */
import type { GPTConfig } from '../../../shared/config/model.js';
import { usualReading, type ReadingConfig } from '../../../shared/config/generation.js';
import { SAMPLES_WRITTEN, type TrainConfig } from '../../../shared/config/train.js';
import { createWriter, generate, noLongerThan, writeOn, type Writer, type Written } from './generate.js';
import type { Parameters } from '../model/model.js';
import { readingRule } from '../model/sampling-rule.js';
import { streams } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { knownWords, shareOfKnownWords, type KnownWords } from '../statistics/words.js';
import { cutAtCharacter, decodeContinued, tokenTexts, type Vocabulary } from '../tokenizer/types.js';
import type { Environment, LanguageModel, TokenIds, TokenSource } from '../types.js';
import { stopHereIf } from '../control.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import type { CycleReport } from '../../../shared/reports/report.js';
import type { Sampler } from '../train/train-types.js';

/** The largest share of training's work. */
const SHARE = 0.05;
/** The cost of one token for each passage, in trained tokens; counted for the smallest preset, where it is largest. */
const TRAINED_TOKENS_PER_PASS = 16;
/** A shorter one is no paragraph. */
const MIN_TOKENS = 96;
/** Approximate characters of a completion, a paragraph, and of its prompt. */
const COMPLETION = 500;
const PROMPT = 40;
/** Tokens that are searched for the start of a sentence. */
const SEARCHED = 400;

interface SamplerOptions {
  readonly model: GPTConfig;
  readonly train: TrainConfig;
  readonly seed: number;
  readonly vocabulary: Vocabulary;
  readonly trainTokens: TokenSource;
  readonly valTokens: TokenSource;
  readonly reading?: ReadingConfig;
}

/** Creates the sampler of `trainBase`. @param parameters of the model in `session` */
export function createSampler(
  session: Session,
  options: SamplerOptions,
  parameters: Parameters,
  env: Environment,
): Sampler {
  const { model, train, seed, vocabulary, trainTokens, valTokens, reading = usualReading } = options;
  const prompts = openings(valTokens, vocabulary, model).map(({ ids }) => ids);
  const whole = tokensOf(COMPLETION, valTokens, vocabulary);
  const { tokens, every } = samplePlan(train, model, whole);
  const longest = Math.max(...prompts.map(({ length }) => length)) + whole;
  const writing = { ...noLongerThan(model, longest), dropout: 0 };
  let writer: Writer | undefined;
  let words: KnownWords | undefined;
  let latest: { readonly step: number; readonly samples: CycleReport['samples'] } | undefined;

  async function write(
    length: number,
    onSamples: (event: 'writing' | 'samples', samples: CycleReport['samples']) => void,
  ) {
    const rule = readingRule({ generation: reading, vocabLimit: vocabulary.vocabSize, excluded: vocabulary.special });
    writer ??= createWriter(session, writing, parameters, SAMPLES_WRITTEN, rule, env);
    const decoded = (texts: readonly TokenIds[]) =>
      texts.map((ids, row) => decodeContinued(vocabulary, ids, prompts[row]?.length ?? 0));
    const onTokens = (texts: readonly Written[]) => onSamples('writing', decoded(texts.map(({ ids }) => ids)));
    const noise = { seed, stream: streams.progress };
    const written = await writeOn(writer, prompts, length, writing.block_size, noise, { onTokens });
    if (!written.done) throw stoppedMeasuring();
    const samples = decoded(written.texts);
    onSamples('samples', samples);
    return samples;
  }

  return {
    due: (step, last, isBest) => (last ? isBest : Math.round(step / train.eval_interval) % every === 0),
    async write(step, isWhole) {
      const length = isWhole ? whole : tokens;
      const shownAt: number[] = [];
      const samples = await write(length, (event, shown) => {
        if (event === 'writing') shownAt.push(env.now());
        env.emit({ event, phase: 'base_training', step, samples: shown });
      });
      if (isWhole) latest = { step, samples };
      words ??= knownWords(trainTokens, vocabulary);
      const perToken = secondsOf(shownAt) / length;
      const seconds = { each: perToken * tokens, last: perToken * whole };
      return { samples, words: { words_known: shareOfKnownWords(samples, words) }, seconds };
    },
    wholeAt: async (step) => (latest?.step === step ? latest.samples : write(whole, () => undefined)),
  };
}

/** Seconds of writing, without compiling: the median of its parts for each. @param moments of the parts, in milliseconds */
export function secondsOf(moments: readonly number[]): number {
  const parts = moments.slice(1).map((moment, i) => moment - (moments[i] ?? moment));
  const median = parts.sort((a, b) => a - b)[Math.floor(parts.length / 2)] ?? 0;
  return (median * moments.length) / 1000;
}

interface Texts {
  readonly vocabulary: Vocabulary;
  readonly valTokens: TokenSource;
}

/** Continues the openings of the samples with a finished model, as the sampler does. @throws UserError `stopped` */
export async function writeSamples(
  { model, weights }: LanguageModel,
  { vocabulary, valTokens, reading, seed, env }: Texts & { reading: ReadingConfig; seed: number; env: Environment },
) {
  const prompts = openings(valTokens, vocabulary, model).map(({ ids }) => ids);
  const texts = await generate({
    model,
    weights,
    prompts,
    seed,
    stream: streams.progress,
    env,
    newTokens: tokensOf(COMPLETION, valTokens, vocabulary),
    ...readingRule({ generation: reading, vocabLimit: vocabulary.vocabSize, excluded: vocabulary.special }),
  });
  // A stop cuts texts short; they must not be reported.
  stopHereIf(env.stop.requested);
  return texts.map((ids, row) => decodeContinued(vocabulary, ids, prompts[row]?.length ?? 0));
}

/** Returns the text's own continuation of each opening, as long as a sample. */
export function naturalSamples({ vocabulary, valTokens }: Texts, model: GPTConfig) {
  const length = tokensOf(COMPLETION, valTokens, vocabulary);
  return openings(valTokens, vocabulary, model).map(({ ids, start }) => {
    const whole = valTokens.read(start, Math.min(ids.length + length, valTokens.length - start)).slice();
    return decodeContinued(vocabulary, whole, ids.length);
  });
}

/** The tokens of each sample, and how many evaluations there are for each with samples. @param wanted tokens of a completion */
export function samplePlan(
  { batch_size, gradient_accumulation_steps, eval_interval }: TrainConfig,
  { block_size }: GPTConfig,
  wanted: number,
): { readonly tokens: number; readonly every: number } {
  const trained = eval_interval * gradient_accumulation_steps * batch_size * block_size;
  const affordable = Math.floor((SHARE * trained) / TRAINED_TOKENS_PER_PASS);
  const least = Math.min(MIN_TOKENS, wanted);
  if (affordable >= least) return { tokens: Math.min(wanted, affordable), every: 1 };
  return { tokens: least, every: Math.ceil(least / Math.max(1, affordable)) };
}

/** Converts characters to tokens of this text, approximately. */
function tokensOf(characters: number, source: TokenSource, vocabulary: Vocabulary): number {
  const ids = source.read(0, Math.min(source.length, 2000));
  const lengths = vocabulary.lengths();
  let all = 0;
  for (const id of ids) all += lengths.characters[id] ?? 0;
  return Math.max(1, Math.round((characters * ids.length) / Math.max(1, all)));
}

const openings = (source: TokenSource, vocabulary: Vocabulary, { block_size }: GPTConfig) =>
  sentenceBeginnings(source, vocabulary, SAMPLES_WRITTEN, Math.max(1, Math.floor(block_size / 2)));

/** Takes starts of sentences at equal distances in the text. @param most tokens of one */
export function sentenceBeginnings(
  source: TokenSource,
  vocabulary: Pick<Vocabulary, 'createDecoder'>,
  count: number,
  most: number,
): { readonly ids: TokenIds; readonly start: number }[] {
  return Array.from({ length: count }, (_, i) => {
    const place = Math.floor((i * Math.max(0, source.length - SEARCHED)) / count);
    const ids = source.read(place, Math.min(SEARCHED, source.length - place)).slice();
    const texts = tokenTexts(vocabulary, ids);
    const ends = texts.findIndex((text, at) => /[\n.!?]["”’']?\s*$/u.test(text) && /^\s|\n/u.test(texts[at + 1] ?? ''));
    let start = ends < 0 || ends > texts.length / 2 ? 0 : ends + 1;
    // The first token can be the end of a character.
    while (start < texts.length - 1 && /^\s+$|^\ufffd/u.test(texts[start] ?? '')) start++;
    let end = start + 1;
    for (let characters = texts[start]?.length ?? 0; end < ids.length && end - start < most; end++) {
      const next = texts[end] ?? '';
      if (characters >= PROMPT && /^\s/u.test(next)) break;
      characters += next.length;
    }
    const opening = ids.subarray(start, end);
    return { ids: opening.subarray(0, cutAtCharacter(vocabulary, opening, opening.length)), start: place + start };
  });
}
