/**
 * What a text and some settings come to, told before anything long begins, from a sample of the text: for the wizard's
 * first page and `verisim preview`. Pure.
 */
import { localized } from '../../../shared/messages/message.js';
import { cycleAdvice, type Advice } from '../../../shared/reports/cycle-advice.js';
import { initialModelPath } from '../../../shared/config/init.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { type Sentence } from '../../../shared/sentence.js';
import { checkpointsOnDisk, modelOnDisk, rewardDataOnDisk, tokensOnDisk } from '../../../shared/costs/disk.js';
import { workOf } from '../../../shared/phases/estimate.js';
import { planOf, rewardSamples, wholeOf, type Plan } from '../../../shared/costs/phases.js';
import { secondsOf, withoutCompiling, type Speed } from '../../../shared/costs/work.js';
import { findRepeats } from '../statistics/repeats.js';
import type { Tokenizer } from '../tokenizer/types.js';
import type { TokenIds } from '../types.js';

export interface PreviewInput {
  /** The beginning of the text, or all of it. */
  readonly sample: string;
  /** How many bytes of the files the sample took, and how many they have. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** How long reading and encoding the sample took. */
  readonly sampleSeconds: number;
  readonly tokenizer: Tokenizer;
  readonly config: Plan['config'];
  readonly model: GPTConfig;
  /** Where sample 0 crosses over, in [1, block_size − 1]. */
  readonly crossover: number;
  /** What a model wrote after the natural part of the example; null without a model. */
  readonly written: TokenIds | null;
  readonly speed: Speed;
}

interface PreviewWarning {
  readonly code: 'too_short' | 'very_small' | 'repetitive';
  /** What is so, and what to do or what comes of it. */
  readonly message: Sentence;
  readonly hint: Sentence;
}

export interface Preview {
  readonly first_lines: readonly string[];
  /** Counts are of the whole text; they are estimates unless all of it was read. */
  readonly exact: boolean;
  readonly characters: number;
  readonly tokens: number;
  readonly vocab_size: number;
  /** Different tokens that occur in the sample. */
  readonly used_tokens: number;
  readonly tokens_per_character: number;
  readonly longest_repeat: { readonly characters: number; readonly text: string };
  /** Share of the sample in long stretches that occur more than once. */
  readonly repeated_share: number;
  readonly samples: { readonly train: number; readonly val: number };
  readonly example: {
    readonly natural: string;
    /** What the model wrote, or, without a model, the text that it will have to replace. */
    readonly rest: string;
    readonly generated: boolean;
    readonly natural_share: number;
  };
  readonly warnings: readonly PreviewWarning[];
  /** Whether cycles will pay; null where none are asked for. */
  readonly advice: Advice | null;
  readonly disk: { readonly tokens: number; readonly reward_data: number; readonly checkpoints: number };
  readonly seconds: {
    readonly prepare: number;
    readonly base_training: number | null;
    readonly reward_data: number | null;
  };
}

const SHOWN_LINES = 8;
const SHOWN_WIDTH = 100;
/** Repeats are looked for in so much of the sample. */
const LOOKED_THROUGH = 1 << 18;
/** With fewer characters a model learns the text by heart. */
const SMALL = 100_000;
const REPETITIVE = 0.3;

export function previewText(input: PreviewInput): Preview {
  const { sample, tokenizer, config, model, speed, bytesRead, bytesTotal } = input;
  const { block_size } = model;
  const ids = tokenizer.encode(sample);
  const exact = bytesRead >= bytesTotal;
  const scale = exact || bytesRead === 0 ? 1 : bytesTotal / bytesRead;
  const sampled = [...sample].length;
  const characters = Math.round(sampled * scale);
  const tokens = Math.round(ids.length * scale);
  const repeats = findRepeats(sample.slice(0, LOOKED_THROUGH));
  const plan: Plan = { ...planOf({ ...config, block_size }, model.vocab_size, tokens), model };
  const [trainTokens, valTokens] = [plan.tokens.train, plan.tokens.val];
  const secondsFor = (phase: 'base_training' | 'reward_data') =>
    secondsOf(withoutCompiling(wholeOf(workOf(plan, phase, phase === 'base_training' ? 0 : 1))), speed);
  return {
    first_lines: sample.split('\n', SHOWN_LINES).map((line) => shortened(line, SHOWN_WIDTH)),
    exact,
    characters,
    tokens,
    vocab_size: tokenizer.vocabSize,
    used_tokens: new Set(ids).size,
    tokens_per_character: sampled === 0 ? 0 : ids.length / sampled,
    longest_repeat: { characters: [...repeats.longest].length, text: shortened(repeats.longest, SHOWN_WIDTH) },
    repeated_share: repeats.share,
    samples: rewardSamples(plan.config, plan.tokens),
    example: exampleOf(input, ids),
    warnings: warningsFor({
      characters,
      valTokens,
      trainTokens,
      block_size,
      share: repeats.share,
      learnsToWrite: initialModelPath(config) === null,
    }),
    advice: cycleAdvice({ ...config, block_size }, trainTokens),
    disk: {
      tokens: tokensOnDisk(plan),
      reward_data: rewardDataOnDisk(plan),
      checkpoints: modelOnDisk(model) + checkpointsOnDisk(model),
    },
    seconds: {
      prepare: 2 * input.sampleSeconds * scale, // it is read twice
      base_training: secondsFor('base_training'),
      reward_data: secondsFor('reward_data'),
    },
  };
}

function exampleOf({ tokenizer, crossover, written, model }: PreviewInput, ids: TokenIds): Preview['example'] {
  const N = Math.min(model.block_size, ids.length);
  const K = Math.min(crossover, Math.max(1, N - 1));
  const rest = written?.subarray(K) ?? ids.subarray(K, N);
  return {
    natural: tokenizer.decode(ids.subarray(0, K)),
    rest: tokenizer.decode(rest),
    generated: written !== null,
    natural_share: N === 0 ? 0 : K / N,
  };
}

function warningsFor(facts: {
  readonly characters: number;
  readonly trainTokens: number;
  readonly valTokens: number;
  readonly block_size: number;
  readonly share: number;
  /** Not where the model could write before: a small text is enough for its manner. */
  readonly learnsToWrite: boolean;
}): PreviewWarning[] {
  const { characters, trainTokens, valTokens, block_size, share, learnsToWrite } = facts;
  const found: PreviewWarning[] = [];
  const shortest = Math.min(trainTokens, valTokens);
  if (shortest <= block_size) {
    found.push({
      code: 'too_short',
      message: localized('cycle.one_split_would_about_shortest', { shortest, block_size, block_size2: block_size + 1 }),
      hint: localized('cycle.use_longer_text_smaller_block'),
    });
  } else if (characters < SMALL && learnsToWrite) {
    found.push({
      code: 'very_small',
      message: localized('cycle.text_only_characters_plural_one', { characters }),
      hint: localized('cycle.few_hundred_thousand_good_beginning'),
    });
  }
  if (share > REPETITIVE) {
    found.push({
      code: 'repetitive',
      message: localized('cycle.text_repeated', { round: Math.round(100 * share) }),
      hint: localized('cycle.duplicates_make_test_results_look'),
    });
  }
  return found;
}

const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width).replace(/[\ud800-\udbff]$/, '')}…`;
