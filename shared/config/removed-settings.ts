/**
 * Settings and values of earlier versions. A file or a flag that names one is still read: the setting is ignored, a removed
 * value is replaced, and a notice names what was not the default. Pure.
 */
import { keptBefore } from './data.js';
import { localized } from '../messages/message.js';

type Values = Readonly<Record<string, unknown>>;

/** By setting, the values that this version behaves like. */
const removedSettings: Readonly<Record<string, readonly unknown[]>> = {
  vocab_size: [null],
  bias: [true],
  optimizer: ['adamw'],
  muon_learning_rate: [0.02],
  muon_iterations: [5],
  decay_lr: [true],
  lr_constant: [0],
  lr_decay_iters: [null],
  beta1: [0.9],
  weight_decay: [0.1],
  grad_clip: [1],
  dropout_passes: [null, 8],
  gradient_checkpointing: ['auto'],
  eval_samples: [3],
  eval_block_size: [null, 512],
  lora_rank: [16],
  lora_alpha: [32],
  lora_projections: ['all'],
  generation_batch_size: [32],
  reward_pooling: ['last'],
  reward_loss: ['mse'],
  reward_unfreeze: [0],
  reward_batch_size: [32],
  reward_eval_interval: [100],
  reward_weight_decay: [0],
  reward_patience: [5],
  reward_min_delta: [1e-5],
  reward_compare: [false],
  log_ratio_bound: [3, 5],
  credit_discount: [0],
  epsilon_high: [null],
  grpo_grad_clip: [1],
  grpo_weight_decay: [0],
  grpo_min_delta: [0.001],
  perplexity_interval: [10],
  critic_steps: [36, 60],
  critic_width: [1],
  critic_average: [0],
  critic_strengthen: [0],
  judge_length: [1, 2],
  judge_width: [1.5],
  cycle_min_delta: [0],
  cluster_sums: ['f32'],
  cluster_every: [1],
  cluster_timeout: [600],
};

const replacements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reward_kind: { token: 'head', hybrid: 'critic' },
  reward_shape: { log_ratio: 'fraction' },
};

/** @param known the settings of the command */
export const isRemovedSetting = (key: string, known: object): boolean =>
  Object.hasOwn(removedSettings, key) && !(key in known);

interface PresentSettings {
  /** Known settings, with removed values replaced. */
  readonly values: Record<string, unknown>;
  /** For the user: "optimizer muon". */
  readonly ignored: readonly string[];
}

/** Converts settings of any version to this one's. @param known the settings of this version */
export function presentSettings(given: Values, known: object): PresentSettings {
  const values: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const replacement = Object.hasOwn(replacements, key) ? replacements[key]?.[String(value)] : undefined;
    if (isRemovedSetting(key, known)) {
      if (!removedSettings[key]?.includes(value)) ignored.push(`${key} ${String(value)}`);
    } else if (replacement === undefined) values[key] = value;
    else {
      values[key] = replacement;
      ignored.push(`${key} ${String(value)} → ${replacement}`);
    }
  }
  return { values, ignored };
}

/** Adds what a project or run of an earlier version behaved like, which its file does not name. @param known as it would be now */
export const asBefore = (stored: Values, known: object = { keep: '' }): Values =>
  'keep' in known ? { keep: keptBefore, ...stored } : stored;

/** @param source the file or the flags that name the ignored settings */
export function ignoredNotice(ignored: readonly string[], source: string) {
  if (ignored.length === 0) return null;
  const message = localized('config.settings_ignored', { source, settings: ignored.join(', ') });
  return { event: 'notice', level: 'warning', code: 'settings_ignored', message } as const;
}
