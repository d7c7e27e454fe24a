/** A rule by which some parameters learn from their gradients (adamw.ts, muon.ts); optimizer.ts makes an optimizer of them. */
import type * as tf from '@tensorflow/tfjs';
import type { Parameters } from '../model/model.js';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';
import type { Gradients } from './gradients.js';

export interface Rule {
  /** What it remembers from step to step, by the names of the checkpoint. */
  readonly moments: Parameters;
  /** What it must be told of a step. @param step counts from 1 */
  scalars(step: number, learningRate: number): readonly number[];
  /** Assigns its parameters and moments, inside a compiled function. @param clip what gradients are multiplied with */
  update(gradients: Gradients, clip: tf.Tensor | undefined, scalars: readonly tf.Scalar[]): void;
}

/** A variable of each kind for each parameter, `<kind>.<parameter>`: as saved, zeros without. */
export function createMoments(
  session: Session,
  trained: Parameters,
  kinds: readonly string[],
  saved: NamedArrays,
): Parameters {
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(trained).map(([name, { shape }]) => {
        const moment = `${kind}.${name}`;
        return [moment, session.variable(moment, shape, saved[moment]?.data)] as const;
      }),
    ),
  );
}
