/** GRPO: what it records of each step, and how that is pictured. */
import { grpo as countGrpo } from '../costs/phases.js';
import { declarePhase, type ChartSettings, type Metric } from './phase.js';

const metrics = {
  reward: { label: 'Reward', unit: 'share', term: 'reward' },
  reward_std: { label: 'within groups', term: 'reward_spread' },
  reward_batch_std: { label: 'within the batch', term: 'reward_spread' },
  frac_reward_zero_std: { label: 'Zero-variance groups', unit: 'share', term: 'zero_variance' },
  kl: { label: 'KL from where the cycle began', unit: 'nats', term: 'kl' },
  beta: { label: 'β, the weight of the KL', term: 'beta' },
  entropy: { label: 'Entropy', unit: 'nats', term: 'entropy' },
  loss: { label: 'GRPO loss', term: 'grpo_loss' },
  ptx_loss: { label: 'Loss of the pre-training mix', unit: 'nats', term: 'ptx' },
  clip_ratio: { label: 'Clipped tokens, either way', unit: 'share', term: 'clip_ratio' },
  clip_ratio_low: { label: 'lowered too far', unit: 'share', term: 'clip_ratio' },
  clip_ratio_high: { label: 'raised too far', unit: 'share', term: 'clip_ratio' },
  grad_norm: { label: 'Gradient norm', term: 'grad_norm' },
  learning_rate: { label: 'Learning rate', term: 'learning_rate' },
  held_out_nats_per_character: { label: 'Held-out nats per character', term: 'nats_per_character' },
  held_out_bits_per_byte: { label: 'Held-out bits per byte', term: 'bits_per_byte' },
  held_out_perplexity: { label: 'Held-out perplexity', term: 'perplexity' },
  distinct_1: { label: 'distinct-1', unit: 'share' },
  distinct_2: { label: 'distinct-2', unit: 'share', term: 'distinct_2' },
  distinct_3: { label: 'distinct-3', unit: 'share', term: 'distinct_3' },
  words_known: { label: 'Known words', unit: 'share', term: 'words_known' },
  longest_repeated_run: { label: 'Longest repetition', unit: 'tokens', term: 'repetition' },
  copied_share: { label: 'Copied from the text', unit: 'share', term: 'copied_share' },
  longest_copied: { label: 'on average', unit: 'tokens', term: 'longest_copied' },
  longest_copied_max: { label: 'of all', unit: 'tokens', term: 'longest_copied' },
  completion_mean_length: { label: 'Length of completions', unit: 'tokens', term: 'completion_length' },
  num_tokens: { label: 'Tokens so far', unit: 'tokens', term: 'tokens_so_far' },
  tokens_per_second: { label: 'Tokens per second', term: 'tokens_per_second' },
  mfu: { label: 'MFU', unit: 'share', term: 'mfu' },
  seconds_generate: { label: 'writing', unit: 'seconds', term: 'seconds_per_step' },
  seconds_score: { label: 'scoring', unit: 'seconds', term: 'seconds_per_step' },
  seconds_update: { label: 'learning', unit: 'seconds', term: 'seconds_per_step' },
} as const satisfies Readonly<Record<string, Metric>>;

/** Whether rewards are evidence in nats, not shares of one. */
export const rewardsEvidence = ({ reward_shape = 'fraction' }: ChartSettings): boolean => reward_shape !== 'fraction';

export const grpo = declarePhase<keyof typeof metrics>({
  label: 'GRPO',
  doing: 'Improving the generator with GRPO',
  called: 'GRPO',
  help: 'The model writes, the reward model judges, and what was judged better becomes likelier.',
  cycles: 'later',
  makes: 'base_model',
  limit: 'grpo_max_steps',
  skippable: true,
  work: countGrpo,
  metrics,
  charts: [
    {
      note: 'Mean share judged natural, with the spread within groups.',
      lines: [{ metric: 'reward', colour: 'line1', spread: 'reward_std' }],
      shown: (settings) => !rewardsEvidence(settings),
    },
    {
      title: 'Reward: evidence per token',
      note: 'How much likelier the critic finds each token than the writer did: mean, with the spread within groups.',
      term: 'evidence',
      unit: 'nats',
      lines: [{ metric: 'reward', label: 'Evidence', colour: 'line1', spread: 'reward_std' }],
      shown: rewardsEvidence,
    },
    { cap: 'kl_cap', lines: [{ metric: 'kl', colour: 'line2' }] },
    { lines: [{ metric: 'held_out_nats_per_character', colour: 'line3', sparse: true }], optional: true },
    // The rest explains the charts above.
    { minor: true, lines: [{ metric: 'held_out_perplexity', colour: 'line3', sparse: true }] },
    { minor: true, lines: [{ metric: 'entropy', colour: 'line4' }] },
    { minor: true, lines: [{ metric: 'beta', colour: 'line2' }] },
    { minor: true, lines: [{ metric: 'ptx_loss', colour: 'line3' }] },
    {
      minor: true,
      title: 'Variety of the writing',
      term: 'distinct_2',
      lines: [
        { metric: 'distinct_1', colour: 'line4' },
        { metric: 'distinct_2', colour: 'line1' },
        { metric: 'distinct_3', colour: 'line3' },
      ],
    },
    { minor: true, lines: [{ metric: 'longest_repeated_run', colour: 'line2' }] },
    { minor: true, lines: [{ metric: 'words_known', colour: 'line3' }] },
    { minor: true, lines: [{ metric: 'copied_share', colour: 'line5' }] },
    {
      minor: true,
      title: 'Clipped tokens',
      lines: [
        { metric: 'clip_ratio_high', colour: 'line5' },
        { metric: 'clip_ratio_low', colour: 'line6', dashed: true },
      ],
    },
    { minor: true, lines: [{ metric: 'grad_norm', colour: 'line4' }] },
    { minor: true, lines: [{ metric: 'completion_mean_length', colour: 'line6' }] },
    {
      title: 'Spread of the reward',
      minor: true,
      lines: [
        { metric: 'reward_std', colour: 'line1' },
        { metric: 'reward_batch_std', colour: 'line4', dashed: true },
      ],
    },
    {
      title: 'Longest copy',
      minor: true,
      lines: [
        { metric: 'longest_copied', colour: 'line5' },
        { metric: 'longest_copied_max', colour: 'line6', dashed: true },
      ],
    },
    {
      title: 'Time of a step',
      minor: true,
      lines: [
        { metric: 'seconds_generate', colour: 'line1' },
        { metric: 'seconds_score', colour: 'line3' },
        { metric: 'seconds_update', colour: 'line4' },
      ],
    },
    {
      note: 'No measure of progress: it hovers around zero by design, or around the pre-training mix.',
      minor: true,
      lines: [{ metric: 'loss', colour: 'muted' }],
    },
  ],
});
