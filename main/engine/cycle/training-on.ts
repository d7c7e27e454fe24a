/**
 * Trains a generator on as the control of a cycle: with base training's recipe, or gently. A model that has finished learning its text
 * loses by steps of base training's size, and gains by small ones: GRPO's text mix at a low rate with averaged weights gained as much
 * as two cycles did (docs/method.md).
 */
import type { ProjectConfig } from '../../../shared/config/index.js';
import { passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';
import { trainBase } from '../train/train.js';
import type { CheckpointSlot, Environment, TokenSource } from '../types.js';
import type { StoredModel } from './cycle-types.js';

/** `as_before`: base training's recipe, from its rate to nothing. `gently`: a tenth of its rate, no dropout, averaged weights. */
type Pace = 'as_before' | 'gently';

/** Of base training's learning rates. */
const GENTLE = 0.1;

interface TrainingOn {
  readonly config: ProjectConfig;
  readonly pace: Pace;
  readonly steps: number;
  readonly before: StoredModel;
  /** What it learns from; `text` is what its base training did. */
  readonly tokens: { readonly train: TokenSource; readonly val: TokenSource; readonly text: TokenSource };
  /** Of the held-out text along the way, of which the best is kept. */
  readonly evaluations: number;
  readonly patience: number;
  readonly seed: number;
  readonly slot: CheckpointSlot;
  readonly env: Environment;
}

/** The recipe of so many steps more. */
function settingsToTrainOn(
  config: ProjectConfig,
  { pace, steps, evaluations, patience }: Pick<TrainingOn, 'pace' | 'steps' | 'evaluations' | 'patience'>,
): ProjectConfig {
  const { learning_rate, min_lr, warmup_iters } = config;
  const own = {
    ...config,
    max_iters: steps,
    train_minutes: null,
    patience,
    eval_interval: Math.max(1, Math.ceil(steps / evaluations)),
    warmup_iters: Math.min(warmup_iters, Math.ceil(steps / 10)),
  };
  if (pace === 'as_before') return own;
  return { ...own, learning_rate: GENTLE * learning_rate, min_lr: GENTLE * min_lr };
}

/** @returns the weights of the evaluation at which the held-out text was likeliest, and its loss in nats per token */
export async function trainOn({ config, pace, before, tokens, seed, slot, env, ...rest }: TrainingOn) {
  const { model, weights: from } = before;
  const isGentle = pace === 'gently';
  // The passes of base training count too.
  const whole = { ...config, max_iters: config.max_iters + rest.steps };
  const dropout = suitedDropout(model, passesThrough(whole, model, tokens.text.length));
  const { weights, result } = await trainBase({
    // As GRPO takes its steps, if it is gentle.
    model: { ...model, dropout: isGentle ? 0 : dropout },
    isDropoutFixed: true,
    train: settingsToTrainOn(config, { pace, ...rest }),
    ...(isGentle ? { average: config.policy_average } : {}),
    seed,
    trainTokens: tokens.train,
    valTokens: tokens.val,
    slot,
    from,
    env,
  });
  return { weights, val_loss: result.val_loss };
}
