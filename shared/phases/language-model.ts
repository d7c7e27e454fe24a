/** The phases that train a language model on the text: the base model, and the two that only read it. */
import { usesCritic } from '../config/model.js';
import { baseTraining as countBaseTraining, scoringModel } from '../costs/phases.js';
import { declarePhase, type Chart, type Metric } from './phase.js';

const metrics = {
  nats_per_character: { label: 'Nats per character, training', term: 'nats_per_character' },
  val_nats_per_character: { label: 'Nats per character, held out', term: 'nats_per_character' },
  val_bits_per_byte: { label: 'Bits per byte, held out', term: 'bits_per_byte' },
  loss: { label: 'Loss, training', unit: 'nats', term: 'loss' },
  val_loss: { label: 'Loss, held out', unit: 'nats', term: 'loss' },
  val_perplexity: { label: 'Perplexity, held out', term: 'perplexity' },
  learning_rate: { label: 'Learning rate', term: 'learning_rate' },
  grad_norm: { label: 'Gradient norm', term: 'grad_norm' },
  num_tokens: { label: 'Tokens so far', unit: 'tokens', term: 'tokens_so_far' },
  tokens_per_second: { label: 'Tokens per second', term: 'tokens_per_second' },
  mfu: { label: 'MFU', unit: 'share', term: 'mfu' },
} as const satisfies Readonly<Record<string, Metric>>;
type Name = keyof typeof metrics;

/** The base model also writes at its evaluations. */
const writing = {
  words_known: { label: 'Known words in the samples', unit: 'share', term: 'words_known' },
} as const satisfies Readonly<Record<string, Metric>>;

export const lossChart = (title: string, term = 'loss'): Chart<'loss' | 'val_loss'> => ({
  title,
  term,
  tall: true,
  marksBest: true,
  lines: [
    { metric: 'loss', label: 'training', colour: 'line1' },
    { metric: 'val_loss', label: 'held out', colour: 'line2', sparse: true },
  ],
});

/** What models of different tokenizers are compared by, so it leads. Runs of earlier versions did not measure it. */
const textChart = (title: string, term = 'nats_per_character'): Chart<Name> => ({
  title,
  term,
  tall: true,
  marksBest: true,
  optional: true,
  lines: [
    { metric: 'nats_per_character', label: 'training', colour: 'line1' },
    { metric: 'val_nats_per_character', label: 'held out', colour: 'line2', sparse: true },
  ],
});

/** At evaluations only, so that smoothing would draw it far from what was measured. */
const bytesChart: Chart<Name> = {
  minor: true,
  optional: true,
  lines: [{ metric: 'val_bits_per_byte', colour: 'line2', sparse: true }],
};

export const baseTraining = declarePhase<Name | keyof typeof writing>({
  label: 'Base training',
  doing: 'Training the base model',
  called: 'base training',
  help: 'The model learns to predict the next token of your text.',
  cycles: 'first',
  makes: 'base_model',
  limit: 'max_iters',
  skippable: true,
  work: countBaseTraining,
  metrics: { ...metrics, ...writing },
  charts: [
    textChart('Nats per character'),
    { ...lossChart('Loss per token'), tall: false },
    { lines: [{ metric: 'val_perplexity', colour: 'line2', sparse: true }] },
    { lines: [{ metric: 'words_known', colour: 'line5', sparse: true }], optional: true },
    { lines: [{ metric: 'learning_rate', colour: 'line3', sparse: true }] },
    { lines: [{ metric: 'grad_norm', colour: 'line4' }] },
    bytesChart,
  ],
});

export const judge = declarePhase<Name>({
  label: 'Independent judge',
  doing: 'Training the judge',
  called: 'training the judge',
  help: 'A larger language model is trained that measures how good the writing is. Nothing is ever trained against it, so it cannot be fooled.',
  cycles: 'first',
  shown: ({ judge_passages }) => judge_passages > 0,
  makes: 'judge_model',
  limit: 'max_iters',
  skippable: true,
  work: (plan) => scoringModel(plan, 'judge'),
  metrics,
  charts: [
    textChart('Nats per character of the independent judge', 'independent_judge'),
    { ...lossChart('Loss of the independent judge', 'independent_judge'), tall: false, optional: true },
    bytesChart,
  ],
});

export const critic = declarePhase<Name>({
  label: 'Critic',
  doing: 'Training the critic, a stronger language model',
  called: 'training the critic',
  help: 'A stronger language model is trained; the reward model compares its predictions with the generator’s.',
  cycles: 'later',
  // One critic serves all cycles.
  shown: (config, cycle) => cycle === 1 && usesCritic(config.reward_kind),
  makes: 'critic_model',
  limit: 'max_iters',
  skippable: true,
  work: (plan) => scoringModel(plan, 'critic'),
  metrics,
  charts: [
    textChart('Nats per character of the critic', 'critic'),
    { ...lossChart('Loss of the critic', 'critic'), tall: false, optional: true },
    bytesChart,
  ],
});
