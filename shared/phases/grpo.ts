/** GRPO: what it records of each step, and how that is pictured. */
import { grpo as countGrpo } from '../costs/phases.js';
import { declarePhase, type ChartSettings, type Metric } from './phase.js';

const metrics = {
  reward: { label: 'chart.reward', unit: 'share', term: 'reward' },
  reward_std: { label: 'chart.within_groups', term: 'reward_spread' },
  reward_batch_std: { label: 'chart.within_batch', term: 'reward_spread' },
  frac_reward_zero_std: { label: 'chart.zero_variance_groups', unit: 'share', term: 'zero_variance' },
  kl: { label: 'chart.kl_from_where_cycle_began', unit: 'nats', term: 'kl' },
  beta: { label: 'chart.beta_weight_kl', term: 'beta' },
  entropy: { label: 'chart.entropy', unit: 'nats', term: 'entropy' },
  loss: { label: 'chart.grpo_loss', term: 'grpo_loss' },
  ptx_loss: { label: 'chart.loss_pre_training_mix', unit: 'nats', term: 'ptx' },
  clip_ratio: { label: 'chart.clipped_tokens_either_way', unit: 'share', term: 'clip_ratio' },
  clip_ratio_low: { label: 'chart.lowered_too_far', unit: 'share', term: 'clip_ratio' },
  clip_ratio_high: { label: 'chart.raised_too_far', unit: 'share', term: 'clip_ratio' },
  grad_norm: { label: 'chart.gradient_norm', term: 'grad_norm' },
  learning_rate: { label: 'chart.learning_rate', term: 'learning_rate' },
  held_out_nats_per_character: { label: 'chart.held_out_nats_per_character', term: 'nats_per_character' },
  held_out_bits_per_byte: { label: 'chart.held_out_bits_per_byte', term: 'bits_per_byte' },
  held_out_perplexity: { label: 'chart.held_out_perplexity', term: 'perplexity' },
  distinct_1: { label: 'chart.distinct_1', unit: 'share' },
  distinct_2: { label: 'chart.distinct_2', unit: 'share', term: 'distinct_2' },
  distinct_3: { label: 'chart.distinct_3', unit: 'share', term: 'distinct_3' },
  words_known: { label: 'chart.known_words', unit: 'share', term: 'words_known' },
  longest_repeated_run: { label: 'chart.longest_repetition', unit: 'tokens', term: 'repetition' },
  copied_share: { label: 'chart.copied_from_text', unit: 'share', term: 'copied_share' },
  longest_copied: { label: 'chart.average', unit: 'tokens', term: 'longest_copied' },
  longest_copied_max: { label: 'chart.all', unit: 'tokens', term: 'longest_copied' },
  completion_mean_length: { label: 'chart.length_completions', unit: 'tokens', term: 'completion_length' },
  num_tokens: { label: 'chart.tokens_so_far', unit: 'tokens', term: 'tokens_so_far' },
  tokens_per_second: { label: 'chart.tokens_per_second', term: 'tokens_per_second' },
  mfu: { label: 'chart.mfu', unit: 'share', term: 'mfu' },
  seconds_generate: { label: 'chart.writing', unit: 'seconds', term: 'seconds_per_step' },
  seconds_score: { label: 'chart.scoring', unit: 'seconds', term: 'seconds_per_step' },
  seconds_update: { label: 'chart.learning', unit: 'seconds', term: 'seconds_per_step' },
} as const satisfies Readonly<Record<string, Metric>>;

/** Whether rewards are evidence in nats, not shares of one. */
export const rewardsEvidence = ({ reward_shape = 'fraction' }: ChartSettings): boolean => reward_shape !== 'fraction';

/** Following the voice has pairs, without a reward model's distance and clipping. */
const hasRewardModel = ({ reward_kind }: ChartSettings): boolean => reward_kind !== 'voice';
const learnsChoices = ({ follows }: ChartSettings): boolean => follows === 'choices';

export const grpo = declarePhase<keyof typeof metrics>({
  label: 'phase.grpo.label',
  doing: 'phase.grpo.doing',
  help: 'phase.grpo.help',
  cycles: 'later',
  makes: 'base_model',
  limit: 'grpo_max_steps',
  skippable: true,
  work: countGrpo,
  metrics,
  charts: [
    {
      note: 'chart.mean_share_judged_natural_spread_within',
      lines: [{ metric: 'reward', colour: 'line1', spread: 'reward_std' }],
      shown: (settings) => hasRewardModel(settings) && !rewardsEvidence(settings),
    },
    {
      title: 'chart.reward_evidence_per_token',
      note: 'chart.how_much_likelier_critic_finds_each',
      term: 'evidence',
      unit: 'nats',
      lines: [{ metric: 'reward', label: 'chart.evidence', colour: 'line1', spread: 'reward_std' }],
      shown: (settings) => hasRewardModel(settings) && rewardsEvidence(settings),
    },
    {
      title: 'chart.voice',
      note: 'chart.voice.note',
      unit: 'nats',
      lines: [{ metric: 'reward', label: 'chart.voice', colour: 'line1', spread: 'reward_std' }],
      shown: (settings) => !hasRewardModel(settings) && !learnsChoices(settings),
    },
    {
      title: 'chart.choices',
      note: 'chart.choices.note',
      lines: [{ metric: 'reward', label: 'chart.choices', colour: 'line1', spread: 'reward_std' }],
      shown: learnsChoices,
    },
    { cap: 'kl_cap', lines: [{ metric: 'kl', colour: 'line2' }], shown: hasRewardModel },
    { lines: [{ metric: 'held_out_nats_per_character', colour: 'line3', sparse: true }], optional: true },
    // The rest explains the charts above.
    { minor: true, lines: [{ metric: 'held_out_perplexity', colour: 'line3', sparse: true }] },
    { minor: true, lines: [{ metric: 'entropy', colour: 'line4' }], shown: hasRewardModel },
    { minor: true, lines: [{ metric: 'beta', colour: 'line2' }], shown: hasRewardModel },
    { minor: true, lines: [{ metric: 'ptx_loss', colour: 'line3' }], shown: hasRewardModel },
    {
      minor: true,
      title: 'chart.variety_writing',
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
      shown: hasRewardModel,
      title: 'chart.clipped_tokens',
      lines: [
        { metric: 'clip_ratio_high', colour: 'line5' },
        { metric: 'clip_ratio_low', colour: 'line6', dashed: true },
      ],
    },
    { minor: true, lines: [{ metric: 'grad_norm', colour: 'line4' }] },
    { minor: true, lines: [{ metric: 'completion_mean_length', colour: 'line6' }] },
    {
      title: 'chart.spread_reward',
      minor: true,
      lines: [
        { metric: 'reward_std', colour: 'line1' },
        { metric: 'reward_batch_std', colour: 'line4', dashed: true },
      ],
    },
    {
      title: 'chart.longest_copy',
      minor: true,
      lines: [
        { metric: 'longest_copied', colour: 'line5' },
        { metric: 'longest_copied_max', colour: 'line6', dashed: true },
      ],
    },
    {
      title: 'chart.time_step',
      minor: true,
      lines: [
        { metric: 'seconds_generate', colour: 'line1' },
        { metric: 'seconds_score', colour: 'line3' },
        { metric: 'seconds_update', colour: 'line4' },
      ],
    },
    {
      note: 'chart.no_measure_progress_hovers_around_zero',
      minor: true,
      lines: [{ metric: 'loss', colour: 'muted' }],
    },
  ],
});
