/** Gradients of GRPO's completions and mixed-in text, and the optimizer's step. */
import * as tf from '@tensorflow/tfjs';
import { declarationOf } from '../../../shared/architectures/index.js';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Parameters } from '../model/model.js';
import type { SamplingRule } from '../model/sampling-rule.js';
import { after } from '../runtime/control-flow.js';
import { mapTensors } from '../runtime/tree.js';
import type { Precision } from '../runtime/types.js';
import { gradientsOf } from '../train/gradients.js';
import type { Optimizer } from '../train/optimizer.js';
import { average } from '../train/weight-average.js';
import { expectedLoss, sampledLoss, type CompletionBatch, type CompletionLoss } from './completion-loss.js';
import type { Teachers } from './grpo-types.js';
import { mixedTextLoss, type TextTensors } from './text-mix.js';

export interface Learner {
  readonly model: GPTConfig;
  readonly policy: Parameters;
  /** The parameters that learn. */
  readonly trained: Parameters;
  readonly config: GrpoConfig;
  readonly rule: SamplingRule;
  readonly optimizer: Optimizer;
  readonly averages: Parameters | null;
  readonly precision: Precision;
  readonly teachers: Teachers | null;
}

export type UpdateInputs = CompletionBatch & { readonly scalars: tf.Tensor; readonly text?: TextTensors };

type Gradients = ReturnType<typeof gradientsOf>;

/** Logged figures besides the loss; `ptx` is the loss of mixed-in text. */
type Outcome = Omit<CompletionLoss, 'loss'> & { readonly ptx?: tf.Tensor };

/** Computes gradients of the completions' loss, and the logged figures. @param text adds a loss of text */
export function completionGradients(
  learner: Learner,
  batch: CompletionBatch,
  text: () => tf.Scalar | undefined = () => undefined,
) {
  const { trained, config, teachers } = learner;
  const outcomes: Outcome[] = [];
  const gradients = gradientsOf(() => {
    const { read } = batch;
    const { loss, ...outcome } =
      teachers && read ? expectedLoss(learner, batch, config, teachers, read) : sampledLoss(learner, batch, config);
    const ptx = text();
    // Logged figures must outlive the gradient's own tidy.
    outcomes.push(mapTensors({ ...outcome, ...(ptx ? { ptx } : {}) }, tf.keep));
    return ptx ? tf.add(loss, tf.mul(ptx, config.ptx_coef)) : loss;
  }, trained);
  const [outcome] = outcomes;
  if (!outcome) throw new Error('the loss gave no outcome');
  return { ...gradients, outcome: mapTensors(outcome, released) };
}

/** Adds gradients of text, computed after those of completions, so that the activations of both are never in memory together. */
export function addTextGradients(
  learner: Learner,
  { value, gradients }: Gradients,
  mixed: TextTensors,
): Gradients & { readonly ptx: tf.Tensor } {
  const { model, trained, config } = learner;
  const { blockOf } = declarationOf(model);
  const last = Object.entries(gradients).flatMap(([name, gradient]) => (blockOf(model, name) === 0 ? [gradient] : []));
  const waiting = { ...mixed, x: after(mixed.x, value, ...last) };
  const text = gradientsOf(() => tf.mul(mixedTextLoss(learner, waiting), config.ptx_coef), trained);
  const sums = Object.entries(gradients).map(([name, gradient]) => [name, tf.add(gradient, text.gradients[name] ?? 0)]);
  return {
    value: tf.add(value, text.value),
    gradients: Object.fromEntries(sums) as Gradients['gradients'],
    ptx: tf.div(text.value, config.ptx_coef),
  };
}

/** Takes the optimizer's step. @returns the norm of the gradient */
export function applyGradients(
  { optimizer, averages, trained, config }: Learner,
  gradients: Gradients['gradients'],
  scalars: tf.Tensor,
): tf.Scalar {
  const gradNorm = optimizer.apply(gradients, scalars);
  if (averages) average(averages, trained, config.policy_average);
  return gradNorm;
}

/** Returns ownership of a tensor that tf.keep protects to the surrounding tidy. */
function released(protectedTensor: tf.Tensor): tf.Tensor {
  const copy = protectedTensor.clone();
  protectedTensor.dispose();
  return copy;
}
