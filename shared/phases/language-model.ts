/** The phases that train a language model on the text: the base model, and the two that only read it. */
import type { MessageCode } from '../messages/message.js';
import { usesCritic } from '../config/model.js';
import { baseTraining as countBaseTraining, scoringModel } from '../costs/phases.js';
import { declarePhase, type Chart, type Metric } from './phase.js';

const metrics = {
  nats_per_character: { label: 'chart.nats_per_character_training', term: 'nats_per_character' },
  val_nats_per_character: { label: 'chart.nats_per_character_held_out', term: 'nats_per_character' },
  val_bits_per_byte: { label: 'chart.bits_per_byte_held_out', term: 'bits_per_byte' },
  loss: { label: 'chart.loss_training', unit: 'nats', term: 'loss' },
  val_loss: { label: 'chart.loss_held_out', unit: 'nats', term: 'loss' },
  val_perplexity: { label: 'chart.perplexity_held_out', term: 'perplexity' },
  learning_rate: { label: 'chart.learning_rate', term: 'learning_rate' },
  grad_norm: { label: 'chart.gradient_norm', term: 'grad_norm' },
  num_tokens: { label: 'chart.tokens_so_far', unit: 'tokens', term: 'tokens_so_far' },
  tokens_per_second: { label: 'chart.tokens_per_second', term: 'tokens_per_second' },
  mfu: { label: 'chart.mfu', unit: 'share', term: 'mfu' },
} as const satisfies Readonly<Record<string, Metric>>;
type Name = keyof typeof metrics;

/** The base model also writes at its evaluations. */
const writing = {
  words_known: { label: 'chart.known_words_samples', unit: 'share', term: 'words_known' },
} as const satisfies Readonly<Record<string, Metric>>;

export const lossChart = (title: MessageCode, term = 'loss'): Chart<'loss' | 'val_loss'> => ({
  title,
  term,
  tall: true,
  marksBest: true,
  lines: [
    { metric: 'loss', label: 'chart.training', colour: 'line1' },
    { metric: 'val_loss', label: 'chart.held_out', colour: 'line2', sparse: true },
  ],
});

/** What models of different tokenizers are compared by, so it leads. Runs of earlier versions did not measure it. */
const textChart = (title: MessageCode, term = 'nats_per_character'): Chart<Name> => ({
  title,
  term,
  tall: true,
  marksBest: true,
  optional: true,
  lines: [
    { metric: 'nats_per_character', label: 'chart.training', colour: 'line1' },
    { metric: 'val_nats_per_character', label: 'chart.held_out', colour: 'line2', sparse: true },
  ],
});

/** At evaluations only, so that smoothing would draw it far from what was measured. */
const bytesChart: Chart<Name> = {
  minor: true,
  optional: true,
  lines: [{ metric: 'val_bits_per_byte', colour: 'line2', sparse: true }],
};

export const baseTraining = declarePhase<Name | keyof typeof writing>({
  label: 'phase.base_training.label',
  doing: 'phase.base_training.doing',
  help: 'phase.base_training.help',
  cycles: 'first',
  makes: 'base_model',
  limit: 'max_iters',
  skippable: true,
  work: countBaseTraining,
  metrics: { ...metrics, ...writing },
  charts: [
    textChart('chart.nats_per_character'),
    // The same in other units.
    { ...lossChart('chart.loss_per_token'), tall: false, minor: true },
    { minor: true, lines: [{ metric: 'val_perplexity', colour: 'line2', sparse: true }] },
    { lines: [{ metric: 'words_known', colour: 'line5', sparse: true }], optional: true },
    { lines: [{ metric: 'learning_rate', colour: 'line3', sparse: true }] },
    { lines: [{ metric: 'grad_norm', colour: 'line4' }] },
    bytesChart,
  ],
});

export const judge = declarePhase<Name>({
  label: 'phase.judge.label',
  doing: 'phase.judge.doing',
  help: 'phase.judge.help',
  cycles: 'first',
  shown: ({ judge_passages }) => judge_passages > 0,
  makes: 'judge_model',
  limit: 'max_iters',
  skippable: true,
  work: (plan) => scoringModel(plan, 'judge'),
  metrics,
  charts: [
    textChart('chart.nats_per_character_independent_judge', 'independent_judge'),
    { ...lossChart('chart.loss_independent_judge', 'independent_judge'), tall: false, optional: true },
    bytesChart,
  ],
});

export const critic = declarePhase<Name>({
  label: 'phase.critic.label',
  doing: 'phase.critic.doing',
  help: 'phase.critic.help',
  cycles: 'later',
  // One critic serves all cycles.
  shown: (config, cycle) => cycle === 1 && usesCritic(config.reward_kind),
  makes: 'critic_model',
  limit: 'max_iters',
  skippable: true,
  work: (plan) => scoringModel(plan, 'critic'),
  metrics,
  charts: [
    textChart('chart.nats_per_character_critic', 'critic'),
    { ...lossChart('chart.loss_critic', 'critic'), tall: false, optional: true },
    bytesChart,
  ],
});
