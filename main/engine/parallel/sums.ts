/** Accumulates the gradients of several batches until the optimizer learns from them, within compiled functions. */
import * as tf from '@tensorflow/tfjs';
import { blockByBlock, type Parameters } from '../model/parameters.js';
import type { Session } from '../runtime/types.js';
import type { Tensors } from './flat.js';

export interface Sums {
  add(gradients: Tensors, weight: tf.Tensor | number): void;
  /** Passes the sums to `learn` and resets them to 0. */
  take<T>(learn: (sums: Tensors) => T): T;
}

export function createSums(session: Session, parameters: Parameters): Sums {
  const sums: Parameters = Object.fromEntries(
    Object.entries(parameters).map(([name, { shape }]) => [name, session.variable(`sum.${name}`, shape)] as const),
  );
  return {
    add(gradients, weight) {
      blockByBlock('sums', sums, (name, sum) => sum.assign(tf.add(sum, tf.mul(gradients[name] ?? 0, weight))));
    },
    take(learn) {
      const result = learn(sums);
      blockByBlock('zeros', sums, (_, sum) => sum.assign(tf.zerosLike(sum)));
      return result;
    },
  };
}
