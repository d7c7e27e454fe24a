/** The phases that make a cycle's reward: the passages, and the model that learns to tell their parts apart. */
import { rewardKinds, type RewardKind } from '../config/model.js';
import { rewardData as countRewardData, rewardModels } from '../costs/phases.js';
import { lossChart } from './language-model.js';
import { declarePhase } from './phase.js';

export const rewardData = declarePhase({
  label: 'Reward data',
  doing: 'Writing passages for the reward model',
  called: 'writing reward data',
  help: 'The model finishes passages of your text, so that there are endings to tell from the real ones.',
  cycles: 'later',
  makes: 'reward_data',
  skippable: true,
  work: countRewardData,
  metrics: {},
  charts: [],
});

const byUse = (used: unknown) => (one: RewardKind, other: RewardKind) => Number(other === used) - Number(one === used);

export const rewardModel = declarePhase<'loss' | 'val_loss' | 'evidence_scale'>({
  label: 'Reward model',
  doing: 'Training the reward model',
  called: 'training the reward model',
  help: 'It learns to say how much of a passage is natural and how much generated.',
  cycles: 'later',
  makes: 'reward_model',
  limit: 'reward_max_iters',
  skippable: true,
  work: rewardModels,
  // The one that rewards, and, where a comparison was asked for, the others after it.
  variants: ({ reward_compare, reward_kind }) =>
    reward_compare === true
      ? [...rewardKinds].sort(byUse(reward_kind)).map((kind) => ({
          name: kind,
          isBeside: kind !== reward_kind,
          // A critic is fitted, in place of training.
          measures: (metric) => (kind === 'critic') === (metric === 'evidence_scale'),
        }))
      : [],
  metrics: {
    loss: { label: 'Loss, training', term: 'loss' },
    val_loss: { label: 'Loss, held out', term: 'loss' },
    evidence_scale: { label: 'Evidence scale (1/temperature)', term: 'evidence' },
  },
  charts: [
    { ...lossChart('Loss of the reward model'), optional: true },
    // Fitted once.
    { lines: [{ metric: 'evidence_scale', colour: 'line3', sparse: true }], optional: true },
  ],
});
