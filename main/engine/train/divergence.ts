/**
 * Diagnoses a loss or gradient that became infinite or NaN. The failing step spoils every weight at once, but three things
 * remain: the weights of the last checkpoint, the step's loss, and the optimizer's moments, spoilt as the gradient was. Pure.
 */
import { localized, type Message } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { parameterShapes } from '../../../shared/architectures/index.js';
import type { HostArray, NamedArrays } from '../types.js';

interface FailedStep {
  readonly model: GPTConfig;
  /** Those of the last checkpoint, or those that training began with. */
  readonly weights: NamedArrays;
  readonly loss: number;
  /** The optimizer's after the step; empty if the step did not reach it. */
  readonly moments: NamedArrays;
}

const largest = ({ data }: Pick<HostArray, 'data'> = { data: new Float32Array() }): number =>
  data.reduce((most, value) => Math.max(most, Number.isFinite(value) ? Math.abs(value) : Infinity), 0);

/** Names the tensor that failed first. */
export function diagnoseDivergence({ model, weights, loss, moments }: FailedStep): Message {
  const order = Object.keys(parameterShapes(model));
  const names = Object.keys(weights).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const sizes = names.map((name) => ({ name, size: largest(weights[name]) }));
  const spoilt = sizes.find(({ size }) => size === Infinity);
  if (spoilt) return localized('train.diverged.weights', { name: spoilt.name });
  if (!Number.isFinite(loss)) {
    const { name, size } = sizes.reduce((a, b) => (b.size > a.size ? b : a), { name: '', size: 0 });
    return localized('train.diverged.scores', { size: Number(size.toPrecision(2)), name });
  }
  const trained = names.filter((name) => `m.${name}` in moments);
  const infinite = trained.filter((name) => largest(moments[`m.${name}`]) === Infinity);
  if (infinite.length === 0) return localized('train.diverged.norm');
  // A norm that is NaN spoils every gradient that is clipped by it.
  if (infinite.length === trained.length) return localized('train.diverged.all_gradients');
  // Gradients flow from the end of the network to its beginning.
  return localized('train.diverged.gradient', { name: infinite.at(-1) });
}

/** The setting that usually helps, for each phase with training steps. */
const remedies = {
  base_training: 'learning_rate',
  reward_model: 'reward_learning_rate',
  grpo: 'grpo_learning_rate',
} as const;

export type TrainedPhase = keyof typeof remedies;

export const diverged = (phase: TrainedPhase, step: number, hasCheckpoint: boolean, why: Message): UserError =>
  new UserError({
    code: 'diverged',
    message: localized('train.diverged', { step, why }),
    hint: localized('train.diverged.hint', { hasCheckpoint, phase }),
    field: remedies[phase],
  });
