/** Previews a text and settings from a sample of the text, for the wizard's first page and `verisim preview`. Pure. */
import { localized, share, type MessageParameters } from '../../../shared/messages/message.js';
import { cycleAdvice } from '../../../shared/reports/cycle-advice.js';
import { initialModelPath } from '../../../shared/config/init.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { checkpointsOnDisk, modelOnDisk, rewardDataOnDisk, tokensOnDisk } from '../../../shared/costs/disk.js';
import { inMinutes, workOf } from '../../../shared/phases/estimate.js';
import { planOf, rewardSamples, wholeOf, type Plan } from '../../../shared/costs/phases.js';
import { secondsOf, withoutCompiling, type Speed } from '../../../shared/costs/work.js';
import { findRepeats } from '../statistics/repeats.js';
import { decodeContinued, type Tokenizer } from '../tokenizer/types.js';
import type { TokenIds } from '../types.js';

export interface PreviewInput {
  /** The beginning of the text, or all of it. */
  readonly sample: string;
  /** Bytes of the sample, and of all files. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly sampleSeconds: number;
  readonly tokenizer: Tokenizer;
  readonly config: Plan['config'];
  readonly model: GPTConfig;
  /** Crossover of sample 0, in [1, block_size − 1]. */
  readonly crossover: number;
  /** Sample 0 with a model's continuation; null without a model. */
  readonly written: TokenIds | null;
  readonly speed: Speed;
}

export type Preview = ReturnType<typeof previewText>;

const SHOWN_LINES = 8;
const SHOWN_WIDTH = 100;
const SHOWN_PARAGRAPH = 500;
/** Characters that are searched for repeats. */
const SEARCHED = 1 << 18;
/** A model memorises a text with fewer characters. */
const SMALL = 100_000;
const REPETITIVE = 0.3;

/** Counts are of the whole text, and estimates unless `exact`. */
export function previewText(input: PreviewInput) {
  const { sample, tokenizer, config, model, speed, bytesRead, bytesTotal } = input;
  const { block_size } = model;
  const ids = tokenizer.encode(sample);
  const exact = bytesRead >= bytesTotal;
  const scale = exact || bytesRead === 0 ? 1 : bytesTotal / bytesRead;
  const sampled = [...sample].length;
  const characters = Math.round(sampled * scale);
  const tokens = Math.round(ids.length * scale);
  const repeats = findRepeats(sample.slice(0, SEARCHED));
  const prepare = 2 * input.sampleSeconds * scale; // it is read twice
  const whole = { ...planOf({ ...config, block_size }, model.vocab_size, tokens), model };
  const plan = inMinutes(whole, speed, prepare);
  const [trainTokens, valTokens] = [plan.tokens.train, plan.tokens.val];
  const secondsFor = (phase: 'base_training' | 'reward_data') =>
    secondsOf(withoutCompiling(wholeOf(workOf(plan, phase, phase === 'base_training' ? 0 : 1))), speed);
  return {
    first_lines: sample.split('\n', SHOWN_LINES).map((line) => shortened(line, SHOWN_PARAGRAPH)),
    exact,
    characters,
    tokens,
    vocab_size: tokenizer.vocabSize,
    /** Distinct tokens in the sample. */
    used_tokens: new Set(ids).size,
    tokens_per_character: sampled === 0 ? 0 : ids.length / sampled,
    longest_repeat: { characters: [...repeats.longest].length, text: shortened(repeats.longest, SHOWN_WIDTH) },
    /** Share of the sample in long runs that occur more than once. */
    repeated_share: repeats.share,
    samples: rewardSamples(plan.config, plan.tokens),
    example: exampleOf(input, ids),
    warnings: warningsFor(input, characters, Math.min(trainTokens, valTokens), repeats.share),
    /** Null without cycles. */
    advice: cycleAdvice({ ...config, block_size }, trainTokens),
    disk: {
      tokens: tokensOnDisk(plan),
      reward_data: rewardDataOnDisk(plan),
      checkpoints: modelOnDisk(model) + checkpointsOnDisk(model),
    },
    seconds: {
      prepare,
      base_training: secondsFor('base_training'),
      reward_data: secondsFor('reward_data'),
    },
  };
}

/** `rest` is a model's text, or, if not `generated`, the natural text that a model will replace. */
function exampleOf({ tokenizer, crossover, written, model }: PreviewInput, ids: TokenIds) {
  const N = Math.min(model.block_size, ids.length);
  const K = Math.min(crossover, Math.max(1, N - 1));
  const example = decodeContinued(tokenizer, written ?? ids.subarray(0, N), K);
  return {
    natural: example.prompt,
    rest: example.completion,
    generated: written !== null,
    natural_share: N === 0 ? 0 : K / N,
  };
}

const warningOf = (code: 'too_short' | 'very_small' | 'repetitive', params: MessageParameters) => ({
  code,
  message: localized(`preview.${code}`, params),
  hint: localized(`preview.${code}.hint`),
});

/** @param shortest tokens of the shorter split */
function warningsFor(
  { config, model: { block_size } }: PreviewInput,
  characters: number,
  shortest: number,
  repeated: number,
) {
  // A pretrained model needs little text.
  const isSmall = characters < SMALL && initialModelPath(config) === null;
  const size =
    shortest <= block_size
      ? [warningOf('too_short', { tokens: shortest, block_size, least: block_size + 1 })]
      : isSmall
        ? [warningOf('very_small', { characters })]
        : [];
  return repeated > REPETITIVE ? [...size, warningOf('repetitive', { share: share(repeated) })] : size;
}

const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width).replace(/[\ud800-\udbff]$/, '')}…`;
