/** Presets: one name sets a model shape and the settings that suit it. Explicit flags win over the preset. */
import type { MessageCode } from '../messages/message.js';
import type { CycleConfig } from './cycle.js';
import type { DataConfig } from './data.js';
import { initialModelPath } from './init.js';
import type { GPTConfig } from './model.js';
import type { GrpoConfig } from './grpo.js';
import { criticModelPath, type ScoringModelsConfig } from './scoring-models.js';
import type { RewardDataConfig } from './reward-data.js';
import type { RewardModelConfig } from './reward-model.js';
import type { TrainConfig } from './train.js';
import type { TuneConfig } from './tune.js';

type PresetValues = Partial<
  DataConfig &
    GPTConfig &
    TuneConfig &
    TrainConfig &
    RewardDataConfig &
    RewardModelConfig &
    GrpoConfig &
    ScoringModelsConfig &
    CycleConfig
>;

interface Preset {
  readonly label: string;
  readonly help: MessageCode;
  /** For a trained model: sets no network, and needs `init_from`. */
  readonly pretrained?: true;
  readonly values: PresetValues;
}

/** GRPO with a critic; a head on the generator's own trunk learns nothing at these sizes (docs/method.md). */
const criticRecipe = {
  reward_kind: 'critic',
  reward_shape: 'token_log_ratio',
  scale_rewards: 'none',
  loss_type: 'dapo',
  beta: 1,
  ptx_coef: 3,
  ptx_batch_size: 32,
  prompts_per_step: 8,
  grpo_learning_rate: 3e-4,
  policy_average: 0.9,
} as const satisfies PresetValues;

/** Pairs of continuations that have more and less of the author's voice, for adapters (docs/method.md). */
export const voiceRecipe = {
  reward_kind: 'voice',
  group_size: 4,
  prompts_per_step: 8,
  beta: 0.1,
  // In a line to zero it moved too little before the end; the brakes keep what was good (docs/method.md).
  grpo_learning_rate: 2.5e-4,
  grpo_lr_schedule: 'constant',
  grpo_max_steps: 20,
} as const satisfies PresetValues;

/** GRPO for a trained model, if it is wanted all the same. */
const modelCriticRecipe = {
  ...criticRecipe,
  group_size: 8,
  grpo_lr_schedule: 'constant',
  critic_length: 1.5,
  samples_per_chunk: 4,
  reward_train_samples: 64,
  reward_val_samples: 64,
  grpo_max_steps: 6,
  // 16 passages and 8 of the mix took 17 GB.
  prompts_per_step: 1,
  ptx_coef: 1,
  ptx_batch_size: 4,
  grpo_learning_rate: 2e-4,
  policy_average: 0.5,
  grpo_eval_prompts: 8,
} as const satisfies PresetValues;

/**
 * A trained model keeps its shape and takes small steps. Its time goes to reading the text: once for 400,000
 * characters, or until the held-out loss stops falling. A cycle under a critic of its own size gains nothing (docs/method.md).
 */
const pretrainedRecipe = {
  block_size: 128,
  dropout: 0,
  batch_size: 8,
  learning_rate: 2e-4,
  min_lr: 2e-5,
  lr_schedule: 'cosine',
  warmup_iters: 10,
  max_iters: 200,
  train_minutes: 10,
  eval_interval: 25,
  patience: 4,
  max_cycles: 0,
} as const satisfies PresetValues;

/**
 * A pretrained critic's whole distribution is the reward, with four updates per batch. Without learning the text from the critic
 * as well, unseen text became less likely in two projects of five.
 */
const taughtCycles = {
  reward_shape: 'expected_log_ratio',
  num_iterations: 4,
  ptx_coef: 1,
  ptx_targets: 'critic',
  kl_cap: 10,
  grpo_lr_schedule: 'linear',
  grpo_patience: 1000,
} as const satisfies PresetValues;

/** A small generator from scratch with a pretrained critic. A short text gives several passages a chunk, or R² is too uncertain. */
const taughtRecipe = {
  ...taughtCycles,
  tokenization: 'shared',
  max_iters: 600,
  reward_train_samples: 128,
  reward_val_samples: 128,
  samples_per_chunk: 4,
  group_size: 4,
  prompts_per_step: 4,
  ptx_batch_size: 16,
  grpo_learning_rate: 2e-3,
  grpo_warmup_steps: 10,
  grpo_max_steps: 600,
  judge_passages: 0,
  max_cycles: 1,
} as const satisfies PresetValues;

/** A trained model with adapters, under a larger one of its family. */
const taughtModelRecipe = {
  ...taughtCycles,
  max_iters: 60,
  train_minutes: null,
  max_cycles: 1,
  grpo_learning_rate: 1e-3,
  grpo_warmup_steps: 3,
  grpo_max_steps: 40,
} as const satisfies PresetValues;

/** nanoGPT's recipe for a processor, with cycles. */
const classicRecipe = {
  dropout: 0,
  batch_size: 12,
  learning_rate: 1e-3,
  min_lr: 1e-4,
  warmup_iters: 100,
  beta2: 0.99,
  max_iters: 2000,
  eval_interval: 250,
  samples_per_chunk: 1,
  reward_train_samples: 6000,
  reward_val_samples: 2000,
  ...criticRecipe,
  judge_passages: 256,
  max_cycles: 2,
} as const satisfies PresetValues;

const { learning_rate, min_lr } = classicRecipe;
const ratesOfClassic: PresetValues = { learning_rate, min_lr, lr_schedule: 'cosine' };

/** 0.38 nats per character better than the classic recipe in the same time on the sample book (docs/method.md). */
const recipe = {
  ...classicRecipe,
  tokenization: 'suited',
  architecture: 'modern',
  learning_rate: 3e-3,
  lr_schedule: 'linear',
  min_lr: 0,
  // An eighth of a project's time at tiny.
  control_share: 0.2,
} as const satisfies PresetValues;

const tinySize = { n_layer: 4, n_head: 4, n_embd: 128, block_size: 64, grpo_max_steps: 50 } as const;

export const presets = {
  nano: {
    label: 'Nano',
    help: 'preset.nano.help',
    values: {
      ...classicRecipe,
      tokenization: 'suited',
      n_layer: 2,
      n_head: 2,
      n_embd: 64,
      block_size: 32,
      batch_size: 16,
      max_iters: 1000,
      eval_interval: 200,
      reward_train_samples: 2000,
      reward_val_samples: 1000,
      reward_max_iters: 500,
      grpo_max_steps: 40,
    },
  },
  tiny: {
    label: 'Tiny',
    help: 'preset.tiny.help',
    // Eighteen minutes for a book on two cores.
    values: { ...recipe, ...tinySize, max_iters: 1800 },
  },
  small: {
    label: 'Small',
    help: 'preset.small.help',
    values: {
      ...recipe,
      n_layer: 6,
      n_head: 6,
      n_embd: 192,
      block_size: 128,
      batch_size: 16,
      learning_rate: 2e-3,
      max_iters: 3000,
      critic_length: 2,
      grpo_max_steps: 150,
      ptx_coef: 1,
    },
  },
  medium: {
    label: 'Medium',
    help: 'preset.medium.help',
    values: {
      ...recipe,
      n_layer: 6,
      n_head: 6,
      n_embd: 384,
      block_size: 256,
      batch_size: 64,
      learning_rate: 1e-3,
      dropout: 0.2,
      max_iters: 5000,
    },
  },
  large: {
    label: 'Large',
    help: 'preset.large.help',
    values: {
      n_layer: 12,
      n_head: 12,
      n_embd: 768,
      block_size: 1024,
      gradient_accumulation_steps: 40,
      max_iters: 20000,
      warmup_iters: 2000,
      samples_per_chunk: 1,
    },
  },
  /** `tiny` with GPT-2's architecture; the studies of the cycles use it. */
  classic: {
    label: 'Classic',
    help: 'preset.classic.help',
    values: { ...classicRecipe, ...tinySize },
  },
  smollm2: {
    label: 'SmolLM2',
    help: 'preset.smollm2.help',
    pretrained: true,
    values: {
      ...voiceRecipe,
      ...pretrainedRecipe,
      // Half the memory, two thirds of the time a step.
      tune: 'lora',
      learning_rate: 2e-3,
      lr_schedule: 'linear',
      min_lr: 0,
      warmup_iters: 5,
      eval_interval: 20,
      eval_iters: 4,
      judge_passages: 0,
    },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[];

/** Settings that an initial model decides. */
const ofModel: readonly string[] = ['architecture', 'n_layer', 'n_head', 'n_embd', 'tokenization'];
/** Settings of a network's size. */
export const sizeSettings = ['n_layer', 'n_head', 'n_embd', 'block_size'] as const;

/** Returns a preset's values that suit the given settings. */
export function valuesOf(
  name: PresetName,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const isTaught = criticModelPath(given) !== null;
  const { reward_kind: kind = 'voice' } = given;
  const suited = Object.entries<unknown>({
    ...presets[name].values,
    ...(isForPretrained(name) && (isTaught || kind !== 'voice') ? modelCriticRecipe : {}),
    ...(given['reward_kind'] === 'voice' ? voiceRecipe : {}),
    ...(isOlderShape(name, given) ? ratesOfClassic : {}),
  }).filter(([key]) => suits(key, given));
  const values = Object.fromEntries(suited);
  if (isForPretrained(name)) return { ...values, ...(isTaught ? taughtModelRecipe : {}) };
  if (initialModelPath(given) === null) return { ...values, ...(isTaught ? taughtRecipe : {}) };
  const own = Object.fromEntries(suited.filter(([key]) => !ofModel.includes(key)));
  const { tokenization: _ofText, max_iters: _ofNothing, ...cycles } = taughtRecipe;
  const reading = Object.fromEntries(Object.entries(pretrainedRecipe).filter(([key]) => suits(key, given)));
  return { ...own, ...reading, ...(isTaught ? { ...cycles, max_iters: 100, train_minutes: null } : {}) };
}

/** What presets contained until 22 November 2026. */
const earlierValues: Readonly<Record<string, unknown>> = {
  tokenization: 'auto',
  architecture: 'gpt2',
  control_share: 0,
  ...ratesOfClassic,
};

/**
 * Values that a run got from an earlier version of its preset, so that the same command resumes it.
 * @param there settings of the existing run, defaults included
 * @param here requested settings
 */
export function valuesBefore(
  there: Readonly<Record<string, unknown>>,
  here: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { preset } = here;
  if (preset !== there['preset'] || typeof preset !== 'string' || !Object.hasOwn(presets, preset)) return {};
  const values: Readonly<Record<string, unknown>> = presets[preset as PresetName].values;
  return Object.fromEntries(
    Object.entries(earlierValues).filter(
      ([key, before]) => there[key] === before && here[key] === values[key] && before !== values[key],
    ),
  );
}

/** Whether GPT-2's architecture is given for a preset with the modern one's learning rate. */
const isOlderShape = (name: PresetName, given: Readonly<Record<string, unknown>>): boolean =>
  given['architecture'] === 'gpt2' && (presets[name] as Preset).values.architecture === 'modern';

/** The defaults from scratch and from a model. */
export const usualPreset = 'tiny' satisfies PresetName;
export const pretrainedPreset = 'smollm2' satisfies PresetName;

export const isForPretrained = (name: unknown): boolean =>
  typeof name === 'string' &&
  name in presets &&
  (presets as Readonly<Record<string, Preset>>)[name]?.pretrained === true;

function suits(key: string, given: Readonly<Record<string, unknown>>): boolean {
  if (key === 'tune') return initialModelPath(given) !== null;
  // Steps that are given are not limited by a preset's minutes.
  if (key === 'train_minutes') return given['max_iters'] === undefined;
  // A judge compares cycles.
  if (key === 'judge_passages') return given['max_cycles'] !== 0;
  if (!(key in criticRecipe)) return true;
  return given['reward_kind'] === 'voice' ? key in voiceRecipe : given['reward_kind'] !== 'head';
}
