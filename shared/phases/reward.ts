/** Declares the phases of a cycle's reward: the passages, and the model that learns to distinguish their parts. */
import { followsVoice } from '../config/model.js';
import { rewardData as countRewardData, rewardModels } from '../costs/phases.js';
import { lossChart } from './language-model.js';
import { declarePhase, type ChartSettings } from './phase.js';

export const rewardData = declarePhase({
  label: 'phase.reward_data.label',
  doing: 'phase.reward_data.doing',
  help: 'phase.reward_data.help',
  cycles: 'later',
  shown: ({ reward_kind }) => !followsVoice(reward_kind),
  makes: 'reward_data',
  skippable: true,
  work: countRewardData,
  metrics: {},
  charts: [],
});

const isCritic = ({ reward_kind }: ChartSettings): boolean => reward_kind === 'critic';

export const rewardModel = declarePhase<'loss' | 'val_loss' | 'evidence_scale'>({
  label: 'phase.reward_model.label',
  doing: 'phase.reward_model.doing',
  help: 'phase.reward_model.help',
  cycles: 'later',
  shown: ({ reward_kind }) => !followsVoice(reward_kind),
  makes: 'reward_model',
  limit: 'reward_max_iters',
  skippable: true,
  work: rewardModels,
  metrics: {
    loss: { label: 'chart.loss_training', term: 'reward_loss' },
    val_loss: { label: 'chart.loss_held_out', term: 'reward_loss' },
    evidence_scale: { label: 'chart.evidence_scale_1_temperature', term: 'evidence' },
  },
  charts: [
    {
      ...lossChart('chart.squared_error_reward_model', 'reward_loss'),
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
