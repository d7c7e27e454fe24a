/**
 * Optimizers: gradient clipping over everything that learns, and a rule for each part of it. AdamW alone, or Muon for the
 * matrices of the blocks and AdamW for the rest (`optimizer`).
 */
import * as tf from '@tensorflow/tfjs';
import { blockMatrices } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { TrainConfig } from '../../../shared/config/train.js';
import { readOnDemand, type Parameters } from '../model/model.js';
import type { Session } from '../runtime/types.js';
import type { NamedArrays } from '../types.js';
import { adamw, type AdamWConfig } from './adamw.js';
import { clipOf, globalNorm, type Gradients } from './gradients.js';
import { muon } from './muon.js';
import type { Rule } from './rule.js';

/** Whether a network's parameters are updated where they are; those of GPT-2's architecture train on to the same bytes as ever. */
export const updatesInPlace = ({ architecture = 'gpt2' }: GPTConfig): boolean => architecture !== 'gpt2';

export interface Optimizer {
  /**
   * What an update must be told of its step, a float32 vector. The caller's to dispose.
   * @param step t: counts from 1
   */
  scalars(step: number, learningRate: number): tf.Tensor1D;
  /**
   * One update, inside a compiled function: assigns parameters and moments, gives the gradient's length before clipping.
   * @param scalars those of the step
   */
  apply(gradients: Gradients, scalars: tf.Tensor): tf.Scalar;
  /** What it remembers: first and second moments, `m.<parameter>` and `v.<parameter>`. */
  readonly moments: Parameters;
  /** The same for the checkpoint. */
  read(): NamedArrays;
  /** Forgets all of it. */
  reset(): void;
}

interface Clipping {
  /** Largest allowed length of the whole gradient; 0 for no clipping. */
  readonly gradClip: number;
  readonly inPlace?: boolean;
}

/** @param saved the moments, from a checkpoint; zeros without */
export const createAdamW = (
  session: Session,
  trained: Parameters,
  config: AdamWConfig & Clipping,
  saved?: NamedArrays,
): Optimizer => optimizerOf(session, [adamw(session, trained, config, saved)], config);

/** Base training's, as it is configured. @param saved the moments, from a checkpoint; zeros without */
export function createOptimizer(
  session: Session,
  model: GPTConfig,
  trained: Parameters,
  train: TrainConfig,
  saved?: NamedArrays,
): Optimizer {
  const { beta1, beta2, weight_decay: weightDecay, grad_clip: gradClip } = train;
  const config = { beta1, beta2, weightDecay, gradClip, inPlace: updatesInPlace(model) };
  const stacked = train.optimizer === 'muon' ? blockMatrices(model) : {};
  const [matrices, others] = divided(trained, (name) => name in stacked);
  if (Object.keys(matrices).length === 0) return createAdamW(session, trained, config, saved);
  const { muon_learning_rate, muon_iterations: iterations, learning_rate } = train;
  const rules = [
    // One schedule for both: Muon's rate is always so many times AdamW's.
    muon(session, matrices, { stacked, rate: muon_learning_rate / learning_rate, weightDecay, iterations }, saved),
    adamw(session, others, config, saved),
  ];
  return optimizerOf(session, rules, config);
}

function divided(parameters: Parameters, isFirst: (name: string) => boolean): readonly [Parameters, Parameters] {
  const entries = Object.entries(parameters);
  return [
    Object.fromEntries(entries.filter(([name]) => isFirst(name))),
    Object.fromEntries(entries.filter(([name]) => !isFirst(name))),
  ];
}

/** @param rules of different parameters, all that learn together */
function optimizerOf(session: Session, rules: readonly Rule[], { gradClip, inPlace = false }: Clipping): Optimizer {
  const moments: Parameters = Object.assign({}, ...rules.map((rule) => rule.moments)) as Parameters;
  return {
    moments,
    scalars: (step, learningRate) => tf.tensor1d(rules.flatMap((rule) => rule.scalars(step, learningRate))),

    apply(gradients, scalars) {
      const gradNorm = globalNorm(gradients, inPlace);
      const clip = clipOf(gradNorm, gradClip);
      const told = tf.unstack(scalars) as tf.Scalar[];
      let first = 0;
      for (const rule of rules) {
        const count = rule.scalars(1, 0).length;
        rule.update(gradients, clip, told.slice(first, first + count));
        first += count;
      }
      return gradNorm;
    },

    read: () => readOnDemand(session, moments),

    reset() {
      for (const moment of Object.values(moments)) session.write(moment, new Float32Array(moment.size));
    },
  };
}
