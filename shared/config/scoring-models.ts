/**
 * The two scoring models, language models that never write: the critic, which the reward model compares the generator with, and
 * the judge, which says at the end of each cycle how good the writing is and is never trained against.
 */
import { z } from 'zod';
import { isNamed } from './init.js';
import { usesCritic, type GPTConfig, type RewardKind } from './model.js';
import { parameter, real, whole } from './parameter.js';
import type { TrainConfig } from './train.js';

export const scoringModelsShape = {
  critic_from: parameter(z.string().min(1).optional(), {
    label: 'Critic from',
    help: 'A model that can write already, as init_from takes one, to teach the writer: tuned to the text, it is the critic. A small writer that starts from scratch has those of its tokens that the text uses most; one that begins from a model must have its tokens, as a smaller model of the same family has. Unset: the critic begins as the writer does.',
    path: 'folder',
  }),
  critic_steps: parameter(whole(1, 1_000_000).default(36), {
    label: 'Critic’s tuning',
    help: 'With critic_from: for how many steps, of about 1,024 tokens each, the critic is tuned to the text.',
    advanced: true,
  }),
  critic_length: parameter(real(0.01, 1000).default(3), {
    label: 'Critic’s training',
    help: 'The critic is a stronger language model than the generator: it trains this many times as many steps as the base model. Used with {reward_kind=critic} and {reward_kind=hybrid}.',
  }),
  critic_width: parameter(real(0.25, 16).default(1), {
    label: 'Critic’s width',
    help: 'How many times as wide as the base model the critic is.',
    advanced: true,
  }),
  critic_average: parameter(real(0, 0.9999).default(0), {
    label: 'Critic’s average of weights',
    help: 'Keep a running average of the critic’s weights instead of the last: the share of the old average that stays at each step; 0 keeps the last.',
    advanced: true,
  }),
  critic_strengthen: parameter(whole(0, 100).default(0), {
    label: 'Strengthen the critic',
    help: 'When the generator has caught up with the critic, train it on from where it is, up to this many times a cycle; 0 ends the cycles there instead.',
    advanced: true,
  }),
  judge_passages: parameter(whole(0, 1_000_000).default(0), {
    label: 'Judged passages',
    help: 'How many passages of each generator an independent judge reads, with prompts and without; 0 leaves the judge out, which saves the time to train it.',
  }),
  judge_length: parameter(real(0.01, 1000).default(2), {
    label: 'Judge’s training',
    help: 'The judge trains this many times as many steps as the base model.',
    advanced: true,
  }),
  judge_width: parameter(real(0.25, 16).default(1.5), {
    label: 'Judge’s width',
    help: 'How many times as wide as the base model the judge is.',
    advanced: true,
  }),
  control_share: parameter(real(0, 1).default(0), {
    label: 'Control',
    help: 'Each cycle is held against training on for this share of its work, by the judge: did it pay? 0 leaves the control out. It needs judged passages.',
    advanced: true,
  }),
  reward_compare: parameter(z.boolean().default(false), {
    label: 'Compare reward models',
    help: 'Train the other kinds of reward model too, and report how well each sees; only the chosen one is used.',
    advanced: true,
  }),
};

export type ScoringModelsConfig = z.infer<z.ZodObject<typeof scoringModelsShape>>;

/** Whether a critic is trained at all: for the reward, or to be compared. */
export const needsCritic = (config: { readonly reward_kind: RewardKind; readonly reward_compare: boolean }): boolean =>
  usesCritic(config.reward_kind) || config.reward_compare;

export type ScoringModel = 'critic' | 'judge';

/** Which of the two a project trains, in the order of its phases. */
export const scoringModelsTrained = (
  config: Parameters<typeof needsCritic>[0] & { readonly max_cycles: number; readonly judge_passages: number },
): readonly ScoringModel[] => [
  ...(config.judge_passages > 0 ? (['judge'] as const) : []),
  ...(config.max_cycles > 0 && needsCritic(config) ? (['critic'] as const) : []),
];

/** How many tokens of its own the critic shares with the writer, where that was not said (docs/method.md). */
export const SHARED_TOKENS = 1536;

/** The path or the name of the model that the critic begins from; null for none. */
export const criticModelPath = ({ critic_from }: { readonly critic_from?: unknown }): string | null =>
  isNamed(critic_from) ? critic_from : null;

/** How a critic that could write before is tuned to the text, at any size of the writer (docs/method.md). */
const tuning = {
  gradient_accumulation_steps: 1,
  optimizer: 'adamw',
  learning_rate: 2e-4,
  min_lr: 0,
  decay_lr: true,
  lr_schedule: 'linear',
  lr_constant: 0,
  lr_decay_iters: null,
  warmup_iters: 5,
  beta1: 0.9,
  beta2: 0.95,
  weight_decay: 0.1,
  grad_clip: 1,
  dropout_passes: null,
  eval_interval: 12,
  eval_iters: 8,
} as const satisfies Partial<TrainConfig>;
/** Adapters want ten times as much. */
const ADAPTERS_LEARNING_RATE = 2e-3;
/** Tokens of a step of it. */
const TUNED_AT_ONCE = 1024;

type Asked = ScoringModelsConfig &
  TrainConfig & {
    /** The critic's network, taken over from the model that it begins from. */
    readonly critic_network?: GPTConfig | undefined;
  };

/**
 * The network of a critic or judge, and how it is trained. It is the generator's made wider by whole heads of the same
 * size; one of a shape that was made elsewhere stays as it is. One of another width starts from scratch, where
 * there is nothing to adapt: all of it is trained. A critic that begins from a model of its own has that model's network.
 */
export function scoringModelOf(
  kind: ScoringModel,
  config: Asked,
  generator: GPTConfig,
): { readonly model: GPTConfig; readonly train: TrainConfig } {
  const { critic_network: own } = config;
  if (kind === 'critic' && own) {
    const batch_size = Math.max(1, Math.round(TUNED_AT_ONCE / own.block_size));
    const rate = own.lora ? { learning_rate: ADAPTERS_LEARNING_RATE } : {};
    return { model: own, train: trainOf({ ...config, ...tuning, ...rate, batch_size }, config.critic_steps) };
  }
  const [length, width] =
    kind === 'critic' ? [config.critic_length, config.critic_width] : [config.judge_length, config.judge_width];
  const steps = Math.max(1, Math.round(config.max_iters * length));
  const train = trainOf(config, steps);
  if (generator.llama ?? generator.modern) return { model: { ...generator, mode: 'generator' }, train };
  const head = generator.n_embd / generator.n_head;
  const n_head = Math.max(1, Math.round(generator.n_head * width));
  const { lora, ...plain } = generator;
  const adapters = lora && n_head === generator.n_head ? { lora } : {};
  return {
    model: { ...plain, ...adapters, n_head, n_embd: n_head * head, mode: 'generator' },
    train,
  };
}

/** What trains for so many steps writes nothing meanwhile. */
const trainOf = (config: TrainConfig, max_iters: number): TrainConfig => ({
  ...config,
  max_iters,
  train_minutes: null,
  eval_samples: 0,
});
