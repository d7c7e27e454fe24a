/** Gradients of a loss by parameter, how long they are together, and how they are shortened where they are too long. */
import * as tf from '@tensorflow/tfjs';
import { blockByBlock } from '../model/blocks.js';
import { parameterOf, type Parameters } from '../model/parameters.js';
import { sumOfSquares } from '../runtime/ops.js';

export type Gradients = Readonly<Record<string, tf.Tensor>>;

/** Gradients by parameter name, and the value, of a scalar function of the trained parameters. */
export function gradientsOf(loss: () => tf.Scalar, trained: Parameters) {
  const names = Object.keys(trained);
  const { value, grads } = tf.variableGrads(loss, Object.values(trained));
  const gradients: Record<string, tf.Tensor> = {};
  for (const name of names) {
    const gradient = grads[parameterOf(trained, name).name];
    if (!gradient) throw new Error(`the loss does not depend on ${name}`);
    gradients[name] = gradient;
  }
  return { value, gradients };
}

/** Length of the whole gradient, a scalar. @param inPlace without an array of squares */
export function globalNorm(gradients: Gradients, inPlace: boolean): tf.Scalar {
  const squares = (gradient: tf.Tensor): tf.Scalar => (inPlace ? sumOfSquares(gradient) : tf.sum(tf.square(gradient)));
  return tf.sqrt(tf.addN(blockByBlock('norm', gradients, (_, gradient) => squares(gradient))));
}

/** What a gradient of that length is multiplied with, so that it is no longer than `most`; nothing where `most` is 0. */
export const clipOf = (norm: tf.Scalar, most: number): tf.Tensor | undefined =>
  most > 0 ? tf.minimum(tf.div(most, tf.add(norm, 1e-6)), 1) : undefined;

/** One parameter's, clipped. */
export function gradientOf(gradients: Gradients, name: string, clip: tf.Tensor | undefined): tf.Tensor {
  const raw = gradients[name];
  if (!raw) throw new Error(`no gradient for ${name}`);
  return clip ? tf.mul(raw, clip) : raw;
}
