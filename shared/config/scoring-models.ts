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
  critic_from: parameter(z.string().min(1).optional(), { path: 'folder' }),
  critic_length: parameter(real(0.01, 1000).default(3)),
  judge_passages: parameter(whole(0, 1_000_000).default(0)),
  control_share: parameter(real(0, 1).default(0), { advanced: true }),
};

export type ScoringModelsConfig = z.infer<z.ZodObject<typeof scoringModelsShape>>;

export type ScoringModel = 'critic' | 'judge';

/** Which of the two a project trains, in the order of its phases. */
export const scoringModelsTrained = (config: {
  readonly reward_kind: RewardKind;
  readonly max_cycles: number;
  readonly judge_passages: number;
}): readonly ScoringModel[] => [
  ...(config.judge_passages > 0 ? (['judge'] as const) : []),
  ...(config.max_cycles > 0 && usesCritic(config.reward_kind) ? (['critic'] as const) : []),
];

/** Tokens that a pretrained critic shares with a generator from scratch, by default. */
export const SHARED_TOKENS = 1536;

/** The path or the name of the model that the critic begins from; null for none. */
export const criticModelPath = ({ critic_from }: { readonly critic_from?: unknown }): string | null =>
  isNamed(critic_from) ? critic_from : null;

/** Tuning of a pretrained critic to the text, for generators of any size. */
const tuning = {
  gradient_accumulation_steps: 1,
  learning_rate: 2e-4,
  min_lr: 0,
  lr_schedule: 'linear',
  warmup_iters: 5,
  beta2: 0.95,
  eval_interval: 12,
  eval_iters: 8,
} as const satisfies Partial<TrainConfig>;
/** Adapters want ten times as much. */
const ADAPTERS_LEARNING_RATE = 2e-3;
/** Its steps: a writer that could write before needs a teacher that knows the text better. */
const TUNING_STEPS = { small: 36, pretrained: 60 } as const;
/** Tokens of a step of it. */
const TUNED_AT_ONCE = 1024;

type ScoringConfig = ScoringModelsConfig &
  TrainConfig & {
    readonly init_from?: string | undefined;
    /** The critic's network, taken over from the model that it begins from. */
    readonly critic_network?: GPTConfig | undefined;
  };

/** A judge that starts from scratch is wider than the generator, so that it knows more. */
const JUDGE_WIDTH = 1.5;

/**
 * The network of a critic or judge, and how it is trained. The critic has the generator's network, unless it begins from a model
 * of its own. The judge's is wider by whole heads of the same size, if it starts from scratch.
 */
export function scoringModelOf(
  kind: ScoringModel,
  config: ScoringConfig,
  generator: GPTConfig,
): { readonly model: GPTConfig; readonly train: TrainConfig } {
  const { critic_network: own } = config;
  if (kind === 'critic' && own) {
    const batch_size = Math.max(1, Math.round(TUNED_AT_ONCE / own.block_size));
    const rate = own.lora ? { learning_rate: ADAPTERS_LEARNING_RATE } : {};
    return {
      model: own,
      train: trainOf(
        { ...config, ...tuning, ...rate, batch_size },
        startsFromScratch(config) ? TUNING_STEPS.small : TUNING_STEPS.pretrained,
      ),
    };
  }
  const length = kind === 'critic' ? config.critic_length : 1;
  const train = trainOf(config, Math.max(1, Math.round(config.max_iters * length)));
  const model: GPTConfig = { ...generator, mode: 'generator' };
  return { model: kind === 'judge' && startsFromScratch(config) ? widened(model) : model, train };
}

const startsFromScratch = ({ init_from }: Pick<ScoringConfig, 'init_from'>): boolean => !isNamed(init_from);

function widened(model: GPTConfig): GPTConfig {
  // A shape that was made elsewhere stays as it is.
  if (model.llama ?? model.modern) return model;
  const n_head = Math.max(1, Math.round(model.n_head * JUDGE_WIDTH));
  return { ...model, n_head, n_embd: n_head * (model.n_embd / model.n_head) };
}

/** A scoring model trains for its own number of steps, whatever minutes the generator has. */
const trainOf = (config: TrainConfig, max_iters: number): TrainConfig => ({
  ...config,
  max_iters,
  train_minutes: null,
});
