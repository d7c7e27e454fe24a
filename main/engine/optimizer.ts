/**
 * AdamW with gradient clipping (Loshchilov & Hutter 2019), numerically as PyTorch's: the step is an integer and bias
 * correction is computed from it in double precision, so a restored run continues exactly (tfjs's own Adam keeps
 * running powers and does not).
 */
import * as tf from '@tensorflow/tfjs';
import { parameterOf, readParameters, type Parameters } from './model.js';
import type { Session } from './runtime/types.js';
import type { NamedArrays } from './types.js';

export interface AdamWConfig {
  readonly beta1: number;
  readonly beta2: number;
  readonly weightDecay: number;
  /** Largest allowed length of the whole gradient; 0 for no clipping. */
  readonly gradClip: number;
}

const EPSILON = 1e-8;

/** First and second moments of each trained parameter. */
export interface Moments {
  readonly m: Parameters;
  readonly v: Parameters;
}

export function createMoments(session: Session, trained: Parameters, saved: NamedArrays = {}): Moments {
  const moment = (kind: string): Parameters =>
    Object.fromEntries(
      Object.entries(trained).map(([name, { shape }]) => [
        name,
        session.variable(`${kind}.${name}`, shape, saved[`${kind}.${name}`]?.data),
      ]),
    );
  return { m: moment('m'), v: moment('v') };
}

export function readMoments(session: Session, { m, v }: Moments): NamedArrays {
  const named = ([kind, parameters]: readonly [string, Parameters]) =>
    Object.fromEntries(Object.entries(parameters).map(([name, variable]) => [`${kind}.${name}`, variable]));
  return readParameters(session, { ...named(['m', m]), ...named(['v', v]) });
}

/** Puts saved moments back; zeros where there are none. */
export function writeMoments(session: Session, { m, v }: Moments, saved: NamedArrays = {}): void {
  for (const [kind, parameters] of [['m', m] as const, ['v', v] as const]) {
    for (const [name, variable] of Object.entries(parameters)) {
      session.write(variable, saved[`${kind}.${name}`]?.data ?? new Float32Array(variable.size));
    }
  }
}

/**
 * What an update needs to know of the step: [learning rate, learning rate / (1 − β1^t), 1 / √(1 − β2^t)].
 * @param step counts from 1
 */
export function stepScalars(step: number, learningRate: number, { beta1, beta2 }: AdamWConfig): Float32Array {
  return Float32Array.of(learningRate, learningRate / (1 - beta1 ** step), 1 / Math.sqrt(1 - beta2 ** step));
}

/** Length of the whole gradient, a scalar. */
export function globalNorm(gradients: Readonly<Record<string, tf.Tensor>>): tf.Scalar {
  return tf.sqrt(tf.addN(Object.values(gradients).map((gradient) => tf.sum(tf.square(gradient)) as tf.Scalar)));
}

/**
 * One update, inside a compiled function: assigns parameters and moments, returns the gradient's length before clipping.
 * @param scalars the tensor made from `stepScalars`
 */
export function adamW(
  trained: Parameters,
  gradients: Readonly<Record<string, tf.Tensor>>,
  moments: Moments,
  scalars: tf.Tensor1D,
  { beta1, beta2, weightDecay, gradClip }: AdamWConfig,
): tf.Scalar {
  const gradNorm = globalNorm(gradients);
  const clip = gradClip > 0 ? tf.minimum(tf.div(gradClip, tf.add(gradNorm, 1e-6)), 1) : undefined;
  const [learningRate, stepSize, rootCorrection] = tf.unstack(scalars) as [tf.Scalar, tf.Scalar, tf.Scalar];
  for (const [name, parameter] of Object.entries(trained)) {
    const raw = gradients[name];
    if (!raw) throw new Error(`no gradient for ${name}`);
    const gradient = clip ? tf.mul(raw, clip) : raw;
    const m = parameterOf(moments.m, name);
    const v = parameterOf(moments.v, name);
    const newM = tf.add(tf.mul(m, beta1), tf.mul(gradient, 1 - beta1));
    const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(gradient), 1 - beta2));
    const direction = tf.div(newM, tf.add(tf.mul(tf.sqrt(newV), rootCorrection), EPSILON));
    // Decay acts on matrices and embeddings only; shrinking a bias or a norm's scale helps nothing.
    const decayed =
      parameter.rank >= 2 && weightDecay > 0
        ? tf.mul(parameter, tf.sub(1, tf.mul(learningRate, weightDecay)))
        : parameter;
    parameter.assign(tf.sub(decayed, tf.mul(direction, stepSize)));
    m.assign(newM);
    v.assign(newV);
  }
  return gradNorm;
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
