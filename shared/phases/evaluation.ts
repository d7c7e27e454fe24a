/** What is done with the text before anything is trained, and the independent evaluation at the end of each cycle. */
import { evaluation as countEvaluation, none } from '../costs/phases.js';
import { declarePhase, type Metric } from './phase.js';

export const prepare = declarePhase({
  label: 'Preparing the text',
  doing: 'Preparing the text',
  called: 'preparing the text',
  help: 'The text becomes tokens, in a part to learn from and a part held out to measure honestly.',
  cycles: 'first',
  skippable: false,
  // No network takes part; `preview` times a sample of the text.
  work: () => none,
  metrics: {},
  charts: [],
});

const metrics = {
  judge_nats: { label: 'unconditional', unit: 'nats' },
  judge_nats_prompted: { label: 'prompted', unit: 'nats' },
  natural_nats: { label: 'your own text', unit: 'nats' },
  judge_gain: { label: 'unconditional', unit: 'nats' },
  judge_gain_prompted: { label: 'prompted', unit: 'nats' },
  distinct_3: { label: 'the model', unit: 'share' },
  natural_distinct_3: { label: 'your own text', unit: 'share' },
  words_known: { label: 'the model', unit: 'share', term: 'words_known' },
  natural_words_known: { label: 'your own text', unit: 'share', term: 'words_known' },
  copied_share: { label: 'the model', unit: 'share' },
  natural_copied_share: { label: 'your own text', unit: 'share' },
  fresh_discriminator_r2: { label: 'R² of a fresh discriminator', term: 'fresh_discriminator' },
} as const satisfies Readonly<Record<string, Metric>>;

export const evaluation = declarePhase<keyof typeof metrics>({
  label: 'Evaluation',
  doing: 'Evaluating',
  called: 'evaluation',
  help: 'The model is measured on the held-out text.',
  cycles: 'all',
  perCycle: true,
  skippable: false,
  work: countEvaluation,
  metrics,
  charts: [
    {
      title: 'NLL per token by the judge',
      term: 'independent_judge',
      lines: [
        { metric: 'judge_nats', colour: 'line1' },
        { metric: 'judge_nats_prompted', colour: 'line3' },
        { metric: 'natural_nats', colour: 'line2', dashed: true },
      ],
    },
    {
      title: 'Gain over the base model',
      term: 'judge_gain',
      lines: [
        { metric: 'judge_gain', colour: 'line1' },
        { metric: 'judge_gain_prompted', colour: 'line3' },
      ],
    },
    {
      title: 'Variety (distinct-3)',
      term: 'distinct_3',
      lines: [
        { metric: 'distinct_3', colour: 'line1' },
        { metric: 'natural_distinct_3', colour: 'line2', dashed: true },
      ],
    },
    {
      title: 'Known words',
      term: 'words_known',
      optional: true,
      lines: [
        { metric: 'words_known', colour: 'line1' },
        { metric: 'natural_words_known', colour: 'line2', dashed: true },
      ],
    },
    {
      title: 'Copied from the text',
      term: 'copied_share',
      lines: [
        { metric: 'copied_share', colour: 'line1' },
        { metric: 'natural_copied_share', colour: 'line2', dashed: true },
      ],
    },
    { lines: [{ metric: 'fresh_discriminator_r2', colour: 'line3' }] },
  ],
});
