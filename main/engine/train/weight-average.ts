/**
 * A running average of weights along training: steadier than the last step's, and often a better language model
 * (Polyak and Juditsky 1992). The policy's in GRPO (`policy_average`), and a model's that is gently trained on.
 */
import * as tf from '@tensorflow/tfjs';
import { blockByBlock } from '../model/blocks.js';
import { createParameters, parameterOf, readOnDemand, readParameters, type Parameters } from '../model/parameters.js';
import { selectPrefix, withPrefix } from '../model/named-arrays.js';
import type { Session } from '../runtime/types.js';
import { AVERAGE } from './kept-weights.js';
import type { NamedArrays } from '../types.js';

/** As the checkpoint has them, or the weights as they are at first. */
export function createAverages(session: Session, weights: Parameters, saved: NamedArrays | undefined): Parameters {
  const start = selectPrefix(saved ?? {}, AVERAGE) ?? readParameters(session, weights);
  return createParameters(session, start, AVERAGE);
}

/** For the checkpoint. */
export function readAverages(session: Session, averages: Parameters | null): NamedArrays {
  return averages === null ? {} : withPrefix(readOnDemand(session, averages), AVERAGE);
}

/**
 * average ← decay · average + (1 − decay) · weights, inside a compiled function, after the weights were assigned.
 * @param decay the share of the old average that stays; a scalar tensor where it changes from step to step
 */
export function average(averages: Parameters, weights: Parameters, decay: number | tf.Tensor): void {
  const share = typeof decay === 'number' ? 1 - decay : tf.sub(1, decay);
  blockByBlock('average', averages, (name, mean) => {
    mean.assign(tf.add(tf.mul(mean, decay), tf.mul(parameterOf(weights, name), share)));
  });
}

/**
 * The decay after `steps` steps from weights that know nothing: an average over all of them at first, so that where
 * training began is soon forgotten, until `decay` is reached.
 */
export const decayAt = (steps: number, decay: number): number => Math.min(decay, steps / (steps + 9));
