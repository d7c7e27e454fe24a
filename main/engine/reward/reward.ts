/**
 * The reward model (specification 5.3) predicts the natural fraction of a passage. The specification's kind is a trained head on
 * the generator's frozen trunk; the other is a critic, of which only the temperature is fitted.
 */
import type { GPTConfig } from '../../../shared/config/model.js';
import { initialWeights } from '../model/model.js';
import { runPhase } from '../train/phase.js';
import { fitCritic } from './critic-fit.js';
import { headTraining } from './reward-head.js';
import type { RewardModelOptions, RewardModelResult } from './reward-types.js';

/** Creates the untrained reward model: the trunk with a new head. */
export function rewardModelStart(
  options: Pick<RewardModelOptions, 'model' | 'weights' | 'critic' | 'config' | 'seed'>,
) {
  const { reward_kind } = options.config;
  const from = reward_kind === 'critic' ? options.critic : options;
  if (!from) throw new Error('a reward model of kind critic needs a critic');
  const { reward_head_hidden_dim } = options.model;
  // The model's file does not name the specification's kind.
  const kind = reward_kind === 'critic' ? { reward_kind } : {};
  const model: GPTConfig = { ...from.model, reward_head_hidden_dim, ...kind, mode: 'reward', dropout: 0 };
  return { model, weights: initialWeights(model, options.seed, from.weights) };
}

/** Trains a reward model and judges it on the validation samples. */
export async function trainRewardModel(options: RewardModelOptions): Promise<RewardModelResult> {
  const start = rewardModelStart(options);
  return start.model.reward_kind === 'critic'
    ? fitCritic(options, start)
    : runPhase(options, (session, saved) => headTraining(options, start, session, saved));
}
