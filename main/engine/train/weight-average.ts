/**
 * Running averages of weights along training: steadier than the last step's (Polyak and Juditsky 1992). GRPO's policy has one
 * (`policy_average`), and so has a model that is trained on gently.
 */
import * as tf from '@tensorflow/tfjs';
import { blockByBlock } from '../runtime/control-flow.js';
import { copyParameters, createParameters, parameterOf, readOnDemand, type Parameters } from '../model/parameters.js';
import { selectPrefix, withPrefix } from '../model/named-arrays.js';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';

/** Prefix of the averages among a checkpoint's optimizer arrays. */
const AVERAGE = 'average.';

/** Creates averages as the checkpoint has them, or equal to the weights. */
export function createAverages(session: Session, weights: Parameters, saved: NamedArrays | undefined): Parameters {
  const start = selectPrefix(saved ?? {}, AVERAGE) ?? copyParameters(session, weights);
  return createParameters(session, start, AVERAGE);
}

export function readAverages(session: Session, averages: Parameters | null): NamedArrays {
  return averages === null ? {} : withPrefix(readOnDemand(session, averages), AVERAGE);
}

/**
 * Assigns decay · average + (1 − decay) · weights to the averages, inside a compiled function, after the weights' update.
 * @param decay a scalar tensor if it changes from step to step
 */
export function average(averages: Parameters, weights: Parameters, decay: number | tf.Tensor): void {
  const share = typeof decay === 'number' ? 1 - decay : tf.sub(1, decay);
  blockByBlock('average', averages, (name, mean) => {
    mean.assign(tf.add(tf.mul(mean, decay), tf.mul(parameterOf(weights, name), share)));
  });
}

/** Returns the decay after so many steps from untrained weights: small at first, so that these are soon forgotten. */
export const decayAt = (steps: number, decay: number): number => Math.min(decay, steps / (steps + 9));
