/**
 * Settings and values of earlier versions that this one does not know. A file or a flag that names one is still read: the setting
 * is ignored and a removed value is replaced, with a notice if that changes anything. Pure.
 */
type Values = Readonly<Record<string, unknown>>;
/** Whether an earlier version did the same with this value as this one does. */
type Unchanged = (value: unknown, all: Values) => boolean;

const always =
  (value: unknown): Unchanged =>
  (given) =>
    given === value;
const withMuon: Unchanged = (_, { optimizer }) => optimizer !== 'muon';
const withAdapters =
  (value: unknown): Unchanged =>
  (given, { tune }) =>
    given === value || tune !== 'lora';
const withHead =
  (value: unknown): Unchanged =>
  (given, { reward_kind }) =>
    given === value || reward_kind === 'critic';
const withoutJudge =
  (value: unknown): Unchanged =>
  (given, { judge_passages = 0 }) =>
    given === value || judge_passages === 0;

const removedSettings: Readonly<Record<string, Unchanged>> = {
  vocab_size: always(null),
  bias: always(true),
  optimizer: always('adamw'),
  muon_learning_rate: withMuon,
  muon_iterations: withMuon,
  decay_lr: always(true),
  lr_constant: always(0),
  lr_decay_iters: always(null),
  beta1: always(0.9),
  weight_decay: always(0.1),
  grad_clip: always(1),
  dropout_passes: (given, { architecture }) => given === (architecture === 'modern' ? 8 : null),
  gradient_checkpointing: always('auto'),
  eval_samples: always(3),
  eval_block_size: (given, { init_from }) => given === null || (given === 512 && init_from !== undefined),
  lora_rank: withAdapters(16),
  lora_alpha: withAdapters(32),
  lora_projections: withAdapters('all'),
  generation_batch_size: () => true,
  reward_pooling: withHead('last'),
  reward_loss: withHead('mse'),
  reward_unfreeze: withHead(0),
  reward_batch_size: withHead(32),
  reward_eval_interval: withHead(100),
  reward_weight_decay: withHead(0),
  reward_patience: withHead(5),
  reward_min_delta: withHead(1e-5),
  reward_compare: always(false),
  credit_discount: always(0),
  epsilon_high: (given, { epsilon = 0.2 }) => given === null || given === epsilon,
  grpo_grad_clip: always(1),
  grpo_weight_decay: always(0),
  grpo_min_delta: always(0.001),
  perplexity_interval: always(10),
  critic_steps: (given, { critic_from, init_from }) =>
    critic_from === undefined || given === (init_from === undefined ? 36 : 60),
  critic_width: always(1),
  critic_average: always(0),
  critic_strengthen: always(0),
  judge_length: withoutJudge(1),
  judge_width: () => true,
  cycle_min_delta: always(0),
  cluster_sums: always('f32'),
  cluster_every: always(1),
};

/** What a removed value becomes. */
const replacements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reward_kind: { token: 'head', hybrid: 'critic' },
  reward_shape: { log_ratio: 'fraction' },
};

const replacementOf = (key: string, value: unknown): string | undefined =>
  typeof value === 'string' && Object.hasOwn(replacements, key) ? replacements[key]?.[value] : undefined;

/** Whether an earlier version had this setting and a command of these settings has it no more. */
export const isRemovedSetting = (key: string, known: object): boolean =>
  Object.hasOwn(removedSettings, key) && !(key in known);

export interface PresentSettings {
  /** Those that this version knows, removed values replaced. */
  readonly values: Record<string, unknown>;
  /** What was ignored or replaced and mattered, as a user reads it: "optimizer muon". */
  readonly ignored: readonly string[];
}

/** Settings of any version as this one reads them. @param known the schemas of those that it has */
export function presentSettings(given: Values, known: object): PresentSettings {
  const values: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const replacement = replacementOf(key, value);
    if (isRemovedSetting(key, known)) {
      if (!removedSettings[key]?.(value, given)) ignored.push(`${key} ${String(value)}`);
    } else if (replacement === undefined) values[key] = value;
    else {
      values[key] = replacement;
      ignored.push(`${key} ${String(value)} (now ${replacement})`);
    }
  }
  return { values, ignored };
}

/** Reports what was ignored, if anything was. @param source the file or the flags that named it */
export function ignoredNotice(ignored: readonly string[], source: string) {
  if (ignored.length === 0) return null;
  return {
    event: 'notice',
    level: 'warning',
    code: 'settings_ignored',
    message: `${source} names settings that this version does not have. Ignored: ${ignored.join(', ')}.`,
  } as const;
}
