/** The phases that make a cycle's reward: the passages, and the model that learns to tell their parts apart. */
import { rewardKinds, usesCritic, type RewardKind } from '../config/model.js';
import { rewardData as countRewardData, rewardModels } from '../costs/phases.js';
import { lossChart } from './language-model.js';
import { declarePhase, strengthenedVariants, type Chart, type ChartSettings, type Variant } from './phase.js';

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

/** What the figures of a kind of reward model are measured in: a chart has those of one measure. */
type Measure = 'squared_error' | 'cross_entropy' | 'each_position' | 'crossover' | 'evidence_scale';

/** In what a kind measures a metric; null where it does not: a critic is fitted, in place of training. */
function measureOf(
  kind: string,
  metric: 'loss' | 'val_loss' | 'evidence_scale',
  settings: ChartSettings,
): Measure | null {
  if (metric === 'evidence_scale') return kind === 'critic' ? metric : null;
  const ofFraction = settings['reward_loss'] === 'cross_entropy' ? 'cross_entropy' : 'squared_error';
  switch (kind) {
    case 'critic':
      return null;
    case 'head':
      return ofFraction;
    default:
      // They learn from labels, and are stopped by what they are for.
      if (metric === 'val_loss') return 'squared_error';
      return kind === 'token' ? 'each_position' : 'crossover';
  }
}

const usedKind = ({ reward_kind }: ChartSettings): RewardKind =>
  rewardKinds.find((kind) => kind === reward_kind) ?? 'head';

/** The chart of what is measured so, whichever kinds do. */
function chartOf<Name extends 'loss' | 'val_loss' | 'evidence_scale'>(
  measure: Measure,
  { lines, ...chart }: Chart<Name>,
): Chart<Name> {
  const of =
    (metric: Name) =>
    ({ name }: Variant, settings: ChartSettings): boolean =>
      measureOf(rewardKinds.find((kind) => kind === name) ?? usedKind(settings), metric, settings) === measure;
  return { ...chart, optional: true, lines: lines.map((line) => ({ ...line, of: of(line.metric) })) };
}

/** What a kind learns from, where that is not what kinds are compared by. */
const learnedFrom = {
  unit: 'nats',
  term: 'reward_loss',
  note: 'What this kind learns from. Kinds are compared by their squared error.',
} as const;

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
  // The one that rewards, anew for each critic that was strengthened for it, and, where a comparison was asked for, the other kinds.
  variants(settings) {
    const used = usedKind(settings);
    const others = settings['reward_compare'] === true ? rewardKinds.filter((kind) => kind !== used) : [];
    const times = usesCritic(used) ? settings['critic_strengthen'] : 0;
    return [
      ...strengthenedVariants(others.length > 0 ? used : 'at first', times),
      ...others.map((name) => ({ name, prefix: name })),
    ];
  },
  metrics: {
    loss: { label: 'Loss, training', term: 'reward_loss' },
    val_loss: { label: 'Loss, held out', term: 'reward_loss' },
    evidence_scale: { label: 'Evidence scale (1/temperature)', term: 'evidence' },
  },
  charts: [
    chartOf('squared_error', lossChart('Squared error of the reward model', 'reward_loss')),
    chartOf('cross_entropy', {
      ...lossChart('Cross-entropy of the natural share', 'reward_loss'),
      unit: 'nats',
    }),
    chartOf('each_position', {
      title: 'Log loss of each position, training',
      ...learnedFrom,
      lines: [{ metric: 'loss', label: 'training', colour: 'line1' }],
    }),
    chartOf('crossover', {
      title: 'Log loss of where a passage crosses over, training',
      ...learnedFrom,
      lines: [{ metric: 'loss', label: 'training', colour: 'line1' }],
    }),
    // Fitted once: one point is no chart, and the figure stands beside the others.
    chartOf('evidence_scale', { minor: true, lines: [{ metric: 'evidence_scale', colour: 'line3', sparse: true }] }),
  ],
});
