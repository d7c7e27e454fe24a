/** Presets: one name sets a model shape and the settings that suit it. Explicit flags win over the preset. */
import type { CycleConfig } from './cycle.js';
import { initialModelPath } from './init.js';
import type { GPTConfig } from './model.js';
import type { GrpoConfig } from './grpo.js';
import type { ScoringModelsConfig } from './scoring-models.js';
import type { RewardDataConfig } from './reward-data.js';
import type { RewardModelConfig } from './reward-model.js';
import type { TrainConfig } from './train.js';
import type { TuneConfig } from './tune.js';

type PresetValues = Partial<
  GPTConfig &
    TuneConfig &
    TrainConfig &
    RewardDataConfig &
    RewardModelConfig &
    GrpoConfig &
    ScoringModelsConfig &
    CycleConfig
>;

export interface Preset {
  readonly label: string;
  readonly help: string;
  /** Its values are for a model that can write already: it says nothing of the network, and needs `init_from`. */
  readonly pretrained?: true;
  readonly values: PresetValues;
}

/**
 * How GRPO is run against a critic. Measured in docs/experiments.md: at these sizes a head on the generator's own trunk sees
 * nothing, and a critic does. Whoever chooses a kind without a critic chooses the specification's way whole.
 */
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

/**
 * A model that can write already keeps its shape and takes few small steps: 75 of these bring SmolLM2-135M to 1.057 nats per
 * character of the sample book's whole held-out tenth (1.035 with a context of 256). What is trained beside it is of its
 * shape too.
 */
const pretrainedRecipe = {
  block_size: 128,
  dropout: 0,
  batch_size: 8,
  learning_rate: 2e-4,
  min_lr: 2e-5,
  warmup_iters: 10,
  max_iters: 100,
  eval_interval: 25,
  critic_width: 1,
  judge_width: 1,
} as const satisfies PresetValues;
const shapeOfNetwork: readonly string[] = ['architecture', 'n_layer', 'n_head', 'n_embd', 'bias'];

/** A preset's values, as they suit what is given beside it. */
export function valuesOf(
  name: PresetName,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const suited = Object.entries<unknown>(presets[name].values).filter(([key]) => suits(key, given));
  if (initialModelPath(given) === null || isForPretrained(name)) return Object.fromEntries(suited);
  return { ...Object.fromEntries(suited.filter(([key]) => !shapeOfNetwork.includes(key))), ...pretrainedRecipe };
}

/** What a project has unless the person says otherwise: begun from nothing, and from a model. */
export const usualPreset = 'tiny' satisfies PresetName;
export const pretrainedPreset = 'smollm2' satisfies PresetName;

/** Whether a preset is for a model that can write already, and for none else. */
export const isForPretrained = (name: unknown): boolean =>
  typeof name === 'string' &&
  name in presets &&
  (presets as Readonly<Record<string, Preset>>)[name]?.pretrained === true;

/** Whether a preset's value for `key` still suits what was chosen beside it. */
const suits = (key: string, given: Readonly<Record<string, unknown>>): boolean =>
  key === 'tune'
    ? initialModelPath(given) !== null
    : !(key in criticRecipe) || (given['reward_kind'] !== 'head' && given['reward_kind'] !== 'token');

const cpuRecipe: PresetValues = {
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
  judge_length: 1,
  max_cycles: 2,
};

export const presets = {
  nano: {
    label: 'Nano',
    help: 'For trying things out: minutes, even without TensorFlow.',
    values: {
      ...cpuRecipe,
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
    help: 'nanoGPT’s processor-sized model: letters and words of a book in minutes.',
    values: { ...cpuRecipe, n_layer: 4, n_head: 4, n_embd: 128, block_size: 64, grpo_max_steps: 50 },
  },
  small: {
    label: 'Small',
    help: 'Phrases rather than words; an hour or two on a laptop.',
    values: {
      ...cpuRecipe,
      n_layer: 6,
      n_head: 6,
      n_embd: 192,
      block_size: 128,
      batch_size: 16,
      max_iters: 3000,
      // What docs/experiments.md measured; three times, as elsewhere, would take it half an hour more of a processor core.
      critic_length: 2,
      grpo_max_steps: 150,
      // There is perplexity to spare here, and less of a mix gains more (docs/experiments.md).
      ptx_coef: 1,
    },
  },
  medium: {
    label: 'Medium',
    help: 'nanoGPT’s “baby GPT”: hours on a processor, minutes on a graphics card.',
    values: {
      ...cpuRecipe,
      n_layer: 6,
      n_head: 6,
      n_embd: 384,
      block_size: 256,
      batch_size: 64,
      dropout: 0.2,
      max_iters: 5000,
    },
  },
  large: {
    label: 'Large',
    help: 'GPT-2’s 124 million weights; only sensible on a graphics card.',
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
  /** The sample's recipe: a first cycle in a quarter of an hour on two cores. Every number of it stands here. */
  smollm2: {
    label: 'SmolLM2',
    help: 'For a model that can write already (init_from), such as SmolLM2-135M: a first cycle in a quarter of an hour.',
    pretrained: true,
    values: {
      ...criticRecipe,
      ...pretrainedRecipe,
      // Adapters: half the memory, and steps that cost two thirds; all weights learn a little more in as many steps.
      tune: 'lora',
      learning_rate: 1e-3,
      min_lr: 1e-4,
      // A first sample within a minute of the first step, and evaluations that take a tenth of the time.
      max_iters: 75,
      eval_interval: 15,
      eval_iters: 4,
      // The critic goes on from the generator: with 90 steps more it told 96 passages with R² 0.44 (docs/experiments.md).
      critic_length: 1.2,
      samples_per_chunk: 1,
      reward_train_samples: 128,
      reward_val_samples: 64,
      grpo_max_steps: 8,
      // 16 passages beside 8 of the mix took 17 GB.
      prompts_per_step: 1,
      ptx_coef: 1,
      ptx_batch_size: 4,
      grpo_learning_rate: 2e-4,
      policy_average: 0.5,
      grpo_eval_prompts: 16,
      judge_passages: 0,
      max_cycles: 1,
    },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[];
