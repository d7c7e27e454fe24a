/** What is done with the text before anything is trained, and the independent evaluation at the end of each cycle. */
import { evaluation as countEvaluation, none } from '../costs/phases.js';
import { declarePhase, type Metric } from './phase.js';

export const prepare = declarePhase({
  label: 'phase.prepare.label',
  doing: 'phase.prepare.doing',
  help: 'phase.prepare.help',
  cycles: 'first',
  skippable: false,
  // No network takes part; `preview` times a sample of the text.
  work: () => none,
  metrics: {},
  charts: [],
});

const metrics = {
  judge_nats: { label: 'chart.unconditional', unit: 'nats' },
  judge_nats_prompted: { label: 'chart.prompted', unit: 'nats' },
  natural_nats: { label: 'chart.your_own_text', unit: 'nats' },
  judge_gain: { label: 'chart.unconditional', unit: 'nats' },
  judge_gain_prompted: { label: 'chart.prompted', unit: 'nats' },
  distinct_3: { label: 'chart.model', unit: 'share' },
  natural_distinct_3: { label: 'chart.your_own_text', unit: 'share' },
  words_known: { label: 'chart.model', unit: 'share', term: 'words_known' },
  natural_words_known: { label: 'chart.your_own_text', unit: 'share', term: 'words_known' },
  copied_share: { label: 'chart.model', unit: 'share' },
  natural_copied_share: { label: 'chart.your_own_text', unit: 'share' },
  fresh_discriminator_r2: { label: 'chart.r2_fresh_discriminator', term: 'fresh_discriminator' },
} as const satisfies Readonly<Record<string, Metric>>;

export const evaluation = declarePhase<keyof typeof metrics>({
  label: 'phase.evaluation.label',
  doing: 'phase.evaluation.doing',
  help: 'phase.evaluation.help',
  cycles: 'all',
  perCycle: true,
  skippable: false,
  work: countEvaluation,
  metrics,
  charts: [
    {
      title: 'chart.nll_per_token_judge',
      term: 'independent_judge',
      lines: [
        { metric: 'judge_nats', colour: 'line1' },
        { metric: 'judge_nats_prompted', colour: 'line3' },
        { metric: 'natural_nats', colour: 'line2', dashed: true },
      ],
    },
    {
      title: 'chart.gain_over_base_model',
      term: 'judge_gain',
      lines: [
        { metric: 'judge_gain', colour: 'line1' },
        { metric: 'judge_gain_prompted', colour: 'line3' },
      ],
    },
    {
      title: 'chart.variety_distinct_3',
      term: 'distinct_3',
      lines: [
        { metric: 'distinct_3', colour: 'line1' },
        { metric: 'natural_distinct_3', colour: 'line2', dashed: true },
      ],
    },
    {
      title: 'chart.known_words',
      term: 'words_known',
      optional: true,
      lines: [
        { metric: 'words_known', colour: 'line1' },
        { metric: 'natural_words_known', colour: 'line2', dashed: true },
      ],
    },
    {
      title: 'chart.copied_from_text',
      term: 'copied_share',
      lines: [
        { metric: 'copied_share', colour: 'line1' },
        { metric: 'natural_copied_share', colour: 'line2', dashed: true },
      ],
    },
    { lines: [{ metric: 'fresh_discriminator_r2', colour: 'line3' }] },
  ],
});
