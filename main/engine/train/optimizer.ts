/**
 * AdamW with gradient clipping (Loshchilov & Hutter 2019), numerically as PyTorch's: the step is an integer and bias
 * correction is computed from it in double precision, so a restored run continues exactly (tfjs's own Adam keeps
 * running powers and does not).
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { parameterOf, readParameters, type Parameters } from '../model/model.js';
import { adamInPlace, sumOfSquares } from '../runtime/large.js';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';

/** Without betas: PyTorch's own. */
interface AdamWConfig {
  readonly beta1?: number;
  readonly beta2?: number;
  readonly weightDecay: number;
  /** Largest allowed length of the whole gradient; 0 for no clipping. */
  readonly gradClip: number;
  /**
   * Parameters and moments are updated where they are in memory, by one operation each, and not by plain tfjs, which
   * rounds otherwise in the last bits.
   */
  readonly inPlace?: boolean;
}

const EPSILON = 1e-8;

/** Whether a network's parameters are updated where they are; those of GPT-2's architecture train on to the same bytes as ever. */
export const updatesInPlace = ({ architecture = 'gpt2' }: GPTConfig): boolean => architecture !== 'gpt2';

export interface Optimizer {
  /**
   * What an update must be told of its step, float32 [3]: learning rate, learning rate / (1 − β1^t), 1 / √(1 − β2^t).
   * The caller's to dispose.
   * @param step t: counts from 1
   */
  scalars(step: number, learningRate: number): tf.Tensor1D;
  /**
   * One update, inside a compiled function: assigns parameters and moments, gives the gradient's length before clipping.
   * @param scalars those of the step
   */
  apply(gradients: Readonly<Record<string, tf.Tensor>>, scalars: tf.Tensor): tf.Scalar;
  /** First and second moments, by the names `m.<parameter>` and `v.<parameter>`; for the checkpoint. */
  read(): NamedArrays;
  /** Puts saved moments back; zeros where there are none. */
  write(saved: NamedArrays | undefined): void;
}

/** @param saved the moments, from a checkpoint; zeros without */
export function createAdamW(
  session: Session,
  trained: Parameters,
  { beta1 = 0.9, beta2 = 0.999, weightDecay, gradClip, inPlace = false }: AdamWConfig,
  saved: NamedArrays = {},
): Optimizer {
  const named = (kind: string): Parameters =>
    Object.fromEntries(
      Object.entries(trained).map(([name, { shape }]) => {
        const moment = `${kind}.${name}`;
        return [moment, session.variable(moment, shape, saved[moment]?.data)];
      }),
    );
  const moments: Parameters = { ...named('m'), ...named('v') };
  const decays = ({ rank }: tf.Tensor): boolean => rank >= 2 && weightDecay > 0;

  return {
    scalars: (step, learningRate) =>
      tf.tensor1d([learningRate, learningRate / (1 - beta1 ** step), 1 / Math.sqrt(1 - beta2 ** step)]),

    apply(gradients, scalars) {
      const gradNorm = globalNorm(gradients, inPlace);
      const clip = gradClip > 0 ? tf.minimum(tf.div(gradClip, tf.add(gradNorm, 1e-6)), 1) : undefined;
      const [learningRate, stepSize, rootCorrection] = tf.unstack(scalars) as [tf.Scalar, tf.Scalar, tf.Scalar];
      for (const [name, parameter] of Object.entries(trained)) {
        const raw = gradients[name];
        if (!raw) throw new Error(`no gradient for ${name}`);
        const gradient = clip ? tf.mul(raw, clip) : raw;
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
          continue;
        }
        const newM = tf.add(tf.mul(m, beta1), tf.mul(gradient, 1 - beta1));
        const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(gradient), 1 - beta2));
        const direction = tf.div(newM, tf.add(tf.mul(tf.sqrt(newV), rootCorrection), EPSILON));
        // Decay acts on matrices and embeddings only; shrinking a bias or a norm's scale helps nothing.
        const decayed = decays(parameter) ? tf.mul(parameter, tf.sub(1, tf.mul(learningRate, weightDecay))) : parameter;
        parameter.assign(tf.sub(decayed, tf.mul(direction, stepSize)));
        m.assign(newM);
        v.assign(newV);
      }
      return gradNorm;
    },

    read: () => readParameters(session, moments),

    write(from) {
      for (const [name, moment] of Object.entries(moments)) {
        session.write(moment, from?.[name]?.data ?? new Float32Array(moment.size));
      }
    },
  };
}

/** Length of the whole gradient, a scalar. */
function globalNorm(gradients: Readonly<Record<string, tf.Tensor>>, inPlace: boolean): tf.Scalar {
  const squares = (gradient: tf.Tensor): tf.Scalar => (inPlace ? sumOfSquares(gradient) : tf.sum(tf.square(gradient)));
  return tf.sqrt(tf.addN(Object.values(gradients).map(squares)));
}

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
