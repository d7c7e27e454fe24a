/**
 * Bounds how much held-out text is measured by what the training costs: a model of 135 million weights reads 200,000 tokens in three
 * minutes on two cores. Work is counted, not timed, so that a run measures the same text on every machine and when it resumes.
 */
import { heldOutWindow, measuredWindows, type GPTConfig } from '../config/model.js';
import type { TrainConfig } from '../config/train.js';
import { forwardFlops, trainingFlops } from './network.js';

/**
 * Shares of the training's operations that an evaluation may take of those before it, and the measure after the last step of all,
 * which a model that could write before has before the first step, too. Of the time it is half as much again in bfloat16.
 */
const SHARE = { each: 0.03, last: 0.04 } as const;
/** Tokens that are measured at least: below, chance decides which weights are the best. */
const LEAST = { each: 2048, last: 8192 } as const;

type Trained = Pick<
  TrainConfig,
  'batch_size' | 'gradient_accumulation_steps' | 'eval_interval' | 'eval_iters' | 'max_iters'
>;

/** Most tokens of held-out text at an evaluation, and after the last step of `max_iters`. Without `eval_iters`, as many as may be. */
export function heldOutTokens(model: GPTConfig, config: Trained): Readonly<Record<'each' | 'last', number>> {
  const { batch_size, gradient_accumulation_steps, eval_interval, eval_iters, max_iters } = config;
  const ofStep = batch_size * gradient_accumulation_steps * model.block_size;
  const ratio = trainingFlops(model) / forwardFlops(model, heldOutWindow(model));
  const affordable = (kind: keyof typeof SHARE, steps: number) =>
    Math.max(LEAST[kind], Math.round(SHARE[kind] * steps * ofStep * ratio));
  const each = Math.min((eval_iters ?? 0) * batch_size * model.block_size, affordable('each', eval_interval));
  return { each: eval_iters === null ? Infinity : each, last: affordable('last', max_iters) };
}

/** As many as the training of both pays for: two losses are compared on the same text. */
export const comparedTokens = (...both: readonly (readonly [GPTConfig, Trained])[]): number =>
  Math.min(...both.map(([model, config]) => heldOutTokens(model, config).last));

/** Tokens of a split of `tokens` that are read if at most `most` are measured: whole windows. */
export const readAtMost = (model: GPTConfig, tokens: number, most: number): number =>
  measuredWindows(model, tokens, most) * heldOutWindow(model);

/** Returns the most steps that take no longer than `seconds`; at least one. @param secondsFor rises with the steps */
export function stepsWithin(seconds: number, secondsFor: (steps: number) => number): number {
  let [fitting, beyond] = [1, 2];
  while (secondsFor(beyond) <= seconds && beyond < 2 ** 31) [fitting, beyond] = [beyond, 2 * beyond];
  while (beyond - fitting > 1) {
    const middle = Math.floor((fitting + beyond) / 2);
    if (secondsFor(middle) <= seconds) fitting = middle;
    else beyond = middle;
  }
  return fitting;
}
