/**
 * What went wrong first when a loss or gradient became infinite or not a number. The step that fails spoils every
 * weight at once, so a phase goes back to the weights just before it (base and reward model training take the steps
 * since the last good state again, which gives the same numbers), and the failing step is then looked at tensor by
 * tensor before it can spoil anything.
 */
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../shared/errors.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { parameterShapes, readParameters, type Parameters } from './model.js';
import { globalNorm } from './optimizer.js';
import type { Session } from './runtime/types.js';
import type { NamedArrays } from './types.js';

/** Steps that are taken again at most: beyond, looking would take longer than it is worth. */
export const MOST_STEPS_AGAIN = 1000;

/** Names in the order in which the network uses them. */
const inOrder = (model: GPTConfig, names: readonly string[]) => {
  const order = Object.keys(parameterShapes(model));
  return [...names].sort((a, b) => order.indexOf(a) - order.indexOf(b));
};

/** The largest absolute value of each tensor; infinite for one that holds anything not finite. */
const largest = (data: Float32Array) =>
  data.reduce((most, value) => Math.max(most, Number.isFinite(value) ? Math.abs(value) : Infinity), 0);

/**
 * The words for it, from the weights just before the failing step; null when nothing of all this is wrong.
 * @param loss of the failing step
 * @param gradients those of the failing step, of every parameter that trains, as tensors that the caller disposes
 */
export function whatWentWrong(
  model: GPTConfig,
  weights: NamedArrays,
  loss: number,
  gradients: Readonly<Record<string, tf.Tensor>>,
): string | null {
  const names = inOrder(model, Object.keys(weights));
  const sizes = names.map((name) => [name, largest(weights[name]?.data ?? new Float32Array())] as const);
  const spoilt = sizes.find(([, size]) => size === Infinity);
  if (spoilt) return `The first tensor that went wrong is ${spoilt[0]}: it holds values that are not finite.`;
  if (!Number.isFinite(loss)) {
    const [name, size] = sizes.reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0] as const);
    return `All weights are finite; the scores of the text overflowed. The largest weights, up to ${size.toExponential(1)}, are in ${name}.`;
  }
  // Gradients flow from the end of the network to its beginning.
  const first = [...names].reverse().find((name) => {
    const gradient = gradients[name];
    return gradient !== undefined && largest(gradient.dataSync() as Float32Array) === Infinity;
  });
  if (first !== undefined) return `The first tensor that went wrong is the gradient of ${first}.`;
  const length = tf.tidy(() => globalNorm(gradients).dataSync()[0] ?? NaN);
  return Number.isFinite(length)
    ? null
    : 'Every gradient is finite, but together they are too large for their length to be.';
}

/** How a phase's step is looked at, apart from the function that trains. */
export interface FailingStep {
  readonly session: Session;
  readonly model: GPTConfig;
  /** All that the loss depends on, and that may have gone wrong. */
  readonly parameters: Parameters;
  /** Inside a compiled function. */
  lossGradients(...inputs: readonly tf.Tensor[]): LossGradients;
}

/** Looks at one batch of the failing step, with the weights that the session has now; see `whatWentWrong`. */
export function lookAtGradients(step: FailingStep, inputs: readonly tf.Tensor[]): string | null {
  const { session, model, parameters } = step;
  let names: readonly string[] = [];
  const run = session.compile<readonly tf.Tensor[], readonly tf.Tensor[]>(
    (...args) => {
      const { value, gradients } = step.lossGradients(...args);
      names = Object.keys(gradients);
      return [value, ...Object.values(gradients)];
    },
    { name: 'look_at_gradients', xla: false },
  );
  const [loss, ...gradients] = run(...inputs);
  const named = Object.fromEntries(names.flatMap((name, i) => (gradients[i] ? [[name, gradients[i]]] : [])));
  const words = whatWentWrong(model, readParameters(session, parameters), loss?.dataSync()[0] ?? NaN, named);
  tf.dispose([loss, ...gradients]);
  return words;
}

interface LossGradients {
  readonly value: tf.Tensor;
  readonly gradients: Readonly<Record<string, tf.Tensor>>;
}

/** For each phase that trains, the setting to look at, and what usually helps. */
const remedies = {
  base_training: ['learning_rate', 'A smaller learning rate or a longer warm-up usually helps.'],
  reward_model: ['reward_learning_rate', 'A smaller learning rate for the reward model usually helps.'],
  grpo: ['grpo_learning_rate', 'A smaller learning rate for GRPO usually helps, or a smaller grpo_grad_clip.'],
} as const;

/**
 * @param step counts from 1
 * @param why which tensor went wrong first, in words
 */
export function diverged(
  phase: keyof typeof remedies,
  step: number,
  hasCheckpoint: boolean,
  why: string | null = null,
): UserError {
  const [field, hint] = remedies[phase];
  return new UserError({
    code: 'diverged',
    message: `The loss became infinite or not a number at step ${step}.${why === null ? '' : ` ${why}`}`,
    hint: `${hasCheckpoint ? 'The last good checkpoint is kept. ' : ''}${hint}`,
    field,
  });
}
