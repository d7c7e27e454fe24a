/**
 * AdamW (Loshchilov & Hutter 2019), numerically as PyTorch's: the step is an integer and bias correction is computed from
 * it in double precision, so a restored run continues exactly (tfjs's own Adam keeps running powers and does not).
 */
import * as tf from '@tensorflow/tfjs';
import { blockByBlock } from '../model/blocks.js';
import { parameterOf, type Parameters } from '../model/parameters.js';
import { adamInPlace } from '../runtime/large.js';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';
import { gradientOf } from './gradients.js';
import { createMoments, type Rule } from './rule.js';

/** Without betas: PyTorch's own. */
export interface AdamWConfig {
  readonly beta1?: number;
  readonly beta2?: number;
  readonly weightDecay: number;
  /**
   * Parameters and moments are updated where they are in memory, by one operation each, and not by plain tfjs, which
   * rounds otherwise in the last bits.
   */
  readonly inPlace?: boolean;
}

const EPSILON = 1e-8;

/**
 * Scalars of a step: learning rate, learning rate / (1 − β1^t), 1 / √(1 − β2^t). Moments: first and second, by the names
 * `m.<parameter>` and `v.<parameter>`.
 * @param saved the moments, from a checkpoint; zeros without
 */
export function adamw(
  session: Session,
  trained: Parameters,
  { beta1 = 0.9, beta2 = 0.999, weightDecay, inPlace = false }: AdamWConfig,
  saved: NamedArrays = {},
): Rule {
  const moments = createMoments(session, trained, ['m', 'v'], saved);
  const decays = ({ rank }: tf.Tensor): boolean => rank >= 2 && weightDecay > 0;

  return {
    moments,
    scalars: (step, learningRate) => [
      learningRate,
      learningRate / (1 - beta1 ** step),
      1 / Math.sqrt(1 - beta2 ** step),
    ],

    update(gradients, clip, scalars) {
      const [learningRate, stepSize, rootCorrection] = scalars as [tf.Scalar, tf.Scalar, tf.Scalar];
      blockByBlock('adamw', trained, (name, parameter) => {
        const gradient = gradientOf(gradients, name, clip);
        const m = parameterOf(moments, `m.${name}`);
        const v = parameterOf(moments, `v.${name}`);
        if (inPlace) {
          const kept = decays(parameter) ? tf.sub(1, tf.mul(learningRate, weightDecay)) : undefined;
          const rate = tf.div(stepSize, rootCorrection);
          adamInPlace({ parameter, m, v }, gradient, {
            beta1,
            beta2,
            rate,
            epsilon: tf.div(EPSILON, rootCorrection),
            kept,
          });
          return;
        }
        const newM = tf.add(tf.mul(m, beta1), tf.mul(gradient, 1 - beta1));
        const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(gradient), 1 - beta2));
        const direction = tf.div(newM, tf.add(tf.mul(tf.sqrt(newV), rootCorrection), EPSILON));
        // Decay acts on matrices and embeddings only; shrinking a bias or a norm's scale helps nothing.
        const decayed = decays(parameter) ? tf.mul(parameter, tf.sub(1, tf.mul(learningRate, weightDecay))) : parameter;
        parameter.assign(tf.sub(decayed, tf.mul(direction, stepSize)));
        m.assign(newM);
        v.assign(newV);
      });
    },
  };
}
