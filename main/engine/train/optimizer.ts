/**
 * AdamW (Loshchilov & Hutter 2019) with gradient clipping, numerically as PyTorch's. The step is an integer and bias correction is
 * computed from it in double precision, so that a restored run continues exactly (tfjs's own Adam stores running powers instead).
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { blockByBlock } from '../runtime/control-flow.js';
import { parameterOf, readOnDemand, type Parameters } from '../model/parameters.js';
import { adamInPlace } from '../runtime/ops.js';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';
import { clipOf, globalNorm, gradientOf, type Gradients } from './gradients.js';

/** GPT-2's parameters are not updated in place, so that existing projects stay bit-identical. */
export const updatesInPlace = ({ architecture = 'gpt2' }: GPTConfig): boolean => architecture !== 'gpt2';

export type Optimizer = ReturnType<typeof createAdamW>;

interface AdamWConfig {
  /** PyTorch's by default, as β2. */
  readonly beta1?: number;
  readonly beta2?: number;
  readonly weightDecay: number;
  /** Largest norm of the whole gradient; 0 for no clipping. */
  readonly gradClip: number;
  /** One operation updates each parameter and its moments; it rounds differently from plain tfjs in the last bits. */
  readonly inPlace?: boolean;
}

const EPSILON = 1e-8;

/** @param saved a checkpoint's moments; zeros without */
export function createAdamW(
  session: Session,
  trained: Parameters,
  { beta1 = 0.9, beta2 = 0.999, weightDecay, gradClip, inPlace = false }: AdamWConfig,
  saved?: NamedArrays,
) {
  const moments = createMoments(session, trained, saved);
  const decays = ({ rank }: tf.Tensor): boolean => rank >= 2 && weightDecay > 0;
  return {
    /** Returns [rate, rate / (1 − β1^t), 1 / √(1 − β2^t)]. The caller disposes of them. @param step t, from 1 */
    scalars: (step: number, learningRate: number): tf.Tensor1D =>
      tf.tensor1d([learningRate, learningRate / (1 - beta1 ** step), 1 / Math.sqrt(1 - beta2 ** step)]),

    /** Assigns parameters and moments, inside a compiled function. @returns the gradient's norm before clipping */
    apply(gradients: Gradients, scalars: tf.Tensor): tf.Scalar {
      const gradNorm = globalNorm(gradients, inPlace);
      const clip = clipOf(gradNorm, gradClip);
      const [learningRate, stepSize, rootCorrection] = tf.unstack(scalars) as [tf.Scalar, tf.Scalar, tf.Scalar];
      blockByBlock('adamw', trained, (name, parameter) => {
        const gradient = gradientOf(gradients, name, clip);
        const m = parameterOf(moments, `m.${name}`);
        const v = parameterOf(moments, `v.${name}`);
        if (inPlace) {
          const kept = decays(parameter) ? tf.sub(1, tf.mul(learningRate, weightDecay)) : undefined;
          const rate = tf.div(stepSize, rootCorrection);
          const epsilon = tf.div(EPSILON, rootCorrection);
          adamInPlace({ parameter, m, v }, gradient, { beta1, beta2, rate, epsilon, decay: kept });
          return;
        }
        const newM = tf.add(tf.mul(m, beta1), tf.mul(gradient, 1 - beta1));
        const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(gradient), 1 - beta2));
        const direction = tf.div(newM, tf.add(tf.mul(tf.sqrt(newV), rootCorrection), EPSILON));
        // Decay acts on matrices and embeddings only.
        const decayed = decays(parameter) ? tf.mul(parameter, tf.sub(1, tf.mul(learningRate, weightDecay))) : parameter;
        parameter.assign(tf.sub(decayed, tf.mul(direction, stepSize)));
        m.assign(newM);
        v.assign(newV);
      });
      return gradNorm;
    },

    /** Returns the moments, `m.<parameter>` and `v.<parameter>`, for the checkpoint. */
    read: (): NamedArrays => readOnDemand(session, moments),

    reset(): void {
      for (const moment of Object.values(moments)) session.write(moment, new Float32Array(moment.size));
    },
  };
}

/** Creates two variables for each parameter, as saved or zeros. A parameter that an earlier version trained with Muon has no `v`. */
function createMoments(session: Session, trained: Parameters, saved: NamedArrays = {}): Parameters {
  const isSaved = (name: string): boolean => saved[`v.${name}`] !== undefined;
  return Object.fromEntries(
    ['m', 'v'].flatMap((kind) =>
      Object.entries(trained).map(([name, { shape }]) => {
        const moment = `${kind}.${name}`;
        return [moment, session.variable(moment, shape, isSaved(name) ? saved[moment]?.data : undefined)] as const;
      }),
    ),
  );
}
