/** Declares the phases of a cycle's reward: the passages, and the model that learns to distinguish their parts. */
import { rewardData as countRewardData, rewardModels } from '../costs/phases.js';
import { lossChart } from './language-model.js';
import { declarePhase, type ChartSettings } from './phase.js';

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

const isCritic = ({ reward_kind }: ChartSettings): boolean => reward_kind === 'critic';

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
  metrics: {
    loss: { label: 'Loss, training', term: 'reward_loss' },
    val_loss: { label: 'Loss, held out', term: 'reward_loss' },
    evidence_scale: { label: 'Evidence scale (1/temperature)', term: 'evidence' },
  },
  charts: [
    {
      ...lossChart('Squared error of the reward model', 'reward_loss'),
      optional: true,
      // A critic is fitted, not trained.
      shown: (settings) => !isCritic(settings),
    },
    // Fitted once: one point is no chart, and the figure is shown next to the others.
    {
      minor: true,
      optional: true,
      shown: isCritic,
      lines: [{ metric: 'evidence_scale', colour: 'line3', sparse: true }],
    },
  ],
});
