/**
 * What went wrong first when a loss or gradient became infinite or not a number. The step that fails spoils every weight
 * at once, but what is left says enough: the last weights that were known, the step's loss, and the optimizer's moments,
 * which are spoilt where the gradient was. Pure.
 */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { formatMeasure } from '../../../shared/base/numbers.js';
import { parameterShapes } from '../../../shared/architectures/index.js';
import type { NamedArrays } from '../types.js';

/** What a failing step leaves to look at. */
interface FailedStep {
  readonly model: GPTConfig;
  /** The last weights that are known: a checkpoint's, or those that training began with. */
  readonly weights: NamedArrays;
  readonly loss: number;
  /** The optimizer’s after the step (rule.ts); empty where it was not reached. */
  readonly moments: NamedArrays;
}

/** Names in the order in which the network uses them. */
const inOrder = (model: GPTConfig, names: readonly string[]) => {
  const order = Object.keys(parameterShapes(model));
  return [...names].sort((a, b) => order.indexOf(a) - order.indexOf(b));
};

/** The largest absolute value of each tensor; infinite for one that holds anything not finite. */
const largest = (data: Float32Array) =>
  data.reduce((most, value) => Math.max(most, Number.isFinite(value) ? Math.abs(value) : Infinity), 0);

/** The words for it. */
export function whatWentWrong({ model, weights, loss, moments }: FailedStep): string {
  const names = inOrder(model, Object.keys(weights));
  const sizes = names.map((name) => [name, largest(weights[name]?.data ?? new Float32Array())] as const);
  const spoilt = sizes.find(([, size]) => size === Infinity);
  if (spoilt) return `The first tensor that went wrong is ${spoilt[0]}: it holds values that are not finite.`;
  if (!Number.isFinite(loss)) {
    const [name, size] = sizes.reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0] as const);
    return `All weights were finite when last looked at, and then the scores of the text overflowed. The largest weights, up to ${formatMeasure(size, 'en', 2)}, were in ${name}.`;
  }
  const trained = names.filter((name) => `m.${name}` in moments);
  const infinite = trained.filter((name) => largest(moments[`m.${name}`]?.data ?? new Float32Array()) === Infinity);
  if (infinite.length === 0) return 'Every gradient is finite, but together they are too large for their length to be.';
  // A length that is not a number spoils every gradient when they are clipped by it.
  if (infinite.length === trained.length) return 'The loss is finite, but its gradient is not.';
  // Gradients flow from the end of the network to its beginning.
  return `The first tensor that went wrong is the gradient of ${infinite.at(-1) ?? ''}.`;
}

/** For each phase that trains, the setting to look at, and what usually helps. */
const remedies = {
  base_training: ['learning_rate', 'A smaller learning rate or a longer warm-up usually helps.'],
  reward_model: ['reward_learning_rate', 'A smaller learning rate for the reward model usually helps.'],
  grpo: ['grpo_learning_rate', 'A smaller learning rate for GRPO usually helps.'],
} as const;

/** A phase that has steps. */
export type TrainedPhase = keyof typeof remedies;

/**
 * @param step counts from 1
 * @param why which tensor went wrong first, in words
 */
export function diverged(phase: TrainedPhase, step: number, hasCheckpoint: boolean, why: string): UserError {
  const [field, hint] = remedies[phase];
  return new UserError({
    code: 'diverged',
    message: localized('train.loss_became_infinite_number_step', { step, why }),
    hint: localized('train.hascheckpoint_select_true_other', { hasCheckpoint, hint }),
    field,
  });
}
