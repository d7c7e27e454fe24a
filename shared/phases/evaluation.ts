/** What is done with the text before anything is trained, and the independent evaluation at the end of each cycle. */
import { declarePhase, type Metric } from './phase.js';

export const prepare = declarePhase({
  label: 'Preparing the text',
  doing: 'Preparing the text',
  called: 'preparing the text',
  help: 'The text becomes tokens, in a part to learn from and a part held out to measure honestly.',
  cycles: 'first',
  skippable: false,
  metrics: {},
  charts: [],
});

const metrics = {
  judge_nats: { label: 'NLL per token by the judge, unconditional', unit: 'nats' },
  judge_nats_prompted: { label: 'NLL per token by the judge, prompted', unit: 'nats' },
  natural_nats: { label: 'NLL per token of your own text', unit: 'nats' },
  judge_gain: { label: 'Gain over the base model, unconditional', unit: 'nats' },
  judge_gain_prompted: { label: 'Gain over the base model, prompted', unit: 'nats' },
  distinct_3: { label: 'distinct-3', unit: 'share' },
  natural_distinct_3: { label: 'distinct-3 of your own text', unit: 'share' },
  copied_share: { label: 'Copied from the text', unit: 'share' },
  natural_copied_share: { label: 'Copied in your own text', unit: 'share' },
  fresh_discriminator_r2: { label: 'R² of a fresh discriminator' },
} as const satisfies Readonly<Record<string, Metric>>;

/** Its steps are cycles: each records one row. */
export const evaluation = declarePhase<keyof typeof metrics>({
  label: 'Evaluation',
  doing: 'Evaluating',
  called: 'evaluation',
  help: 'The model is measured on the held-out text.',
  cycles: 'all',
  shown: () => false,
  skippable: false,
  metrics,
  charts: [],
});
