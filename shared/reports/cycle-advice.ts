/** Advises before the start whether cycles will pay: a rule of thumb from docs/method.md. Pure. */
import { initialModelPath } from '../config/init.js';
import { passesThrough } from '../config/suited-dropout.js';
import { followsVoice, usesCritic, type RewardKind } from '../config/model.js';
import { criticModelPath } from '../config/scoring-models.js';
import { count, localized, type Message } from '../messages/message.js';

export const adviceNames = ['train_first', 'not_here', 'cycles'] as const;

/** `blind`: no critic; `teacher`: a larger model as critic; `model`: starts from a model; `alone`: the critic knows only the text; `voice`: follows the author's. */
export const adviceReasons = ['blind', 'teacher', 'model', 'few_passes', 'alone', 'voice'] as const;

export interface Advice {
  readonly advice: (typeof adviceNames)[number];
  readonly because: (typeof adviceReasons)[number];
  /** With `few_passes`: passes of base training through the text, and steps after which it has `enough` of them. */
  readonly passes?: number | undefined;
  readonly max_iters?: number | undefined;
  readonly enough?: number | undefined;
}

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
  if (followsVoice(config.reward_kind)) return { advice: 'cycles', because: 'voice' };
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

export const adviceMessage = ({ because, passes = NaN, max_iters = NaN, enough = NaN }: Advice): Message =>
  because === 'few_passes'
    ? localized('advice.few_passes', { passes: Math.round(passes * 10) / 10, steps: count(max_iters), enough })
    : localized(`advice.${because}`);
