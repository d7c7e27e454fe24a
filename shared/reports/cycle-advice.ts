/** Advises before the start whether cycles will pay: a rule of thumb from docs/method.md. Pure. */
import { initialModelPath } from '../config/init.js';
import { passesThrough } from '../config/suited-dropout.js';
import { usesCritic, type RewardKind } from '../config/model.js';
import { criticModelPath } from '../config/scoring-models.js';
import type { Locale } from '../base/formatters.js';

export const adviceNames = ['train_first', 'not_here', 'cycles'] as const;

/** `blind`: no critic; `teacher`: a larger model as critic; `model`: starts from a model; `alone`: the critic knows only the text. */
export const adviceReasons = ['blind', 'teacher', 'model', 'few_passes', 'alone'] as const;

export interface Advice {
  readonly advice: (typeof adviceNames)[number];
  readonly because: (typeof adviceReasons)[number];
  /** With `few_passes`: passes of base training through the text, and steps after which it has `enough` of them. */
  readonly passes?: number | undefined;
  readonly max_iters?: number | undefined;
  readonly enough?: number | undefined;
}

/** Advice as sentences, with formatted figures. */
export interface AdviceWords {
  readonly blind: string;
  readonly teacher: string;
  readonly model: string;
  readonly alone: string;
  few_passes(passes: string, steps: string, enough: string): string;
}

export const adviceWords: AdviceWords = {
  blind: 'Cycles will hardly pay here: a reward model without a critic is no better than guessing at these sizes.',
  teacher: 'Cycles pay here: they teach this model what its larger teacher knows.',
  model: 'Cycles will hardly pay here: without a larger teacher, training longer gives this model as much.',
  alone: 'Cycles will hardly pay here: a critic that knows only this text leads by little. Training longer gives more.',
  few_passes: (passes, steps, enough) =>
    `Train on first: base training goes through the text ${passes} times, and more steps help more than cycles. ${steps} steps go through it ${enough} times.`,
};

interface AdvisedSettings {
  readonly max_cycles: number;
  readonly reward_kind: RewardKind;
  readonly init_from?: string | undefined;
  readonly critic_from?: string | undefined;
  readonly max_iters: number;
  readonly train_minutes: number | null;
  readonly batch_size: number;
  readonly gradient_accumulation_steps: number;
  readonly block_size: number;
}

/** Passes after which more training hardly helps a model from scratch; with a teacher, which takes over from there, fewer. */
const DONE = { taught: { after: 5, enough: 9 }, alone: { after: 8, enough: 15 } } as const;

/** @returns null without cycles */
export function cycleAdvice(config: AdvisedSettings, trainTokens: number): Advice | null {
  if (config.max_cycles === 0) return null;
  if (!usesCritic(config.reward_kind)) return { advice: 'not_here', because: 'blind' };
  const isTaught = criticModelPath(config) !== null;
  const { after, enough } = DONE[isTaught ? 'taught' : 'alone'];
  const perStep = passesThrough({ ...config, max_iters: 1 }, config, trainTokens);
  const passes = perStep * config.max_iters;
  const isFromScratch = initialModelPath(config) === null;
  if (isFromScratch && config.train_minutes === null && passes < after) {
    const max_iters = Math.ceil(enough / perStep / 100) * 100;
    return { advice: 'train_first', because: 'few_passes', passes, max_iters, enough };
  }
  if (isTaught) return { advice: 'cycles', because: 'teacher' };
  return { advice: 'not_here', because: isFromScratch ? 'alone' : 'model' };
}

const inEnglish: { readonly words: AdviceWords; readonly locale: Locale } = { words: adviceWords, locale: 'en' };

export function adviceSentence({ because, passes, max_iters, enough }: Advice, { words, locale } = inEnglish): string {
  if (because !== 'few_passes') return words[because];
  const format = (value = NaN, digits = 0) => value.toLocaleString(locale, { maximumFractionDigits: digits });
  return words.few_passes(format(passes, 1), format(max_iters), format(enough));
}
