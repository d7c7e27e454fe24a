/** Gradients of a loss by parameter, their norm, and clipping by it. */
import * as tf from '@tensorflow/tfjs';
import { blockByBlock } from '../runtime/control-flow.js';
import { parameterOf, type Parameters } from '../model/parameters.js';
import { sumOfSquares } from '../runtime/ops.js';

export type Gradients = Readonly<Record<string, tf.Tensor>>;

/** Computes the value of a scalar function of the trained parameters, and its gradients by parameter name. */
export function gradientsOf(loss: () => tf.Scalar, trained: Parameters) {
  const { value, grads } = tf.variableGrads(loss, Object.values(trained));
  const gradients: Record<string, tf.Tensor> = {};
  for (const name of Object.keys(trained)) {
    const gradient = grads[parameterOf(trained, name).name];
    if (!gradient) throw new Error(`the loss does not depend on ${name}`);
    gradients[name] = gradient;
  }
  return { value, gradients };
}

/** Computes the norm of the whole gradient, a scalar. @param inPlace without an array of squares */
export function globalNorm(gradients: Gradients, inPlace: boolean): tf.Scalar {
  const squares = (gradient: tf.Tensor): tf.Scalar => (inPlace ? sumOfSquares(gradient) : tf.sum(tf.square(gradient)));
  return tf.sqrt(tf.addN(blockByBlock('norm', gradients, (_, gradient) => squares(gradient))));
}

/** Returns the factor that clips a gradient of this norm to `most`; nothing if `most` is 0. */
export const clipOf = (norm: tf.Scalar, most: number): tf.Tensor | undefined =>
  most > 0 ? tf.minimum(tf.div(most, tf.add(norm, 1e-6)), 1) : undefined;

export function gradientOf(gradients: Gradients, name: string, clip: tf.Tensor | undefined): tf.Tensor {
  const raw = gradients[name];
  if (!raw) throw new Error(`no gradient for ${name}`);
  return clip ? tf.mul(raw, clip) : raw;
}
