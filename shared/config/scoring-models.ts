/**
 * The two scoring models, language models that never write: the critic, which the reward model compares the generator with, and
 * the judge, which says at the end of each cycle how good the writing is and is never trained against.
 */
import { z } from 'zod';
import { usesCritic, type GPTConfig, type RewardKind } from './model.js';
import { parameter, real, whole } from './parameter.js';

export const scoringModelsShape = {
  critic_length: parameter(real(0.01, 1000).default(3), {
    label: 'Critic’s training',
    help: 'The critic is a stronger language model than the generator: it trains this many times as many steps as the base model. Used by the reward models of kind critic and hybrid.',
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

/**
 * The network of a critic or judge, and its training steps. It is the generator's made wider by whole heads of the same
 * size; one of a shape that was made elsewhere stays as it is. One of another width begins from nothing, where
 * there is nothing to adapt: all of it is trained.
 */
export function scoringModelOf(
  kind: ScoringModel,
  config: ScoringModelsConfig & { readonly max_iters: number },
  generator: GPTConfig,
): { readonly model: GPTConfig; readonly steps: number } {
  const [length, width] =
    kind === 'critic' ? [config.critic_length, config.critic_width] : [config.judge_length, config.judge_width];
  const steps = Math.max(1, Math.round(config.max_iters * length));
  if (generator.llama ?? generator.modern) return { model: { ...generator, mode: 'generator' }, steps };
  const head = generator.n_embd / generator.n_head;
  const n_head = Math.max(1, Math.round(generator.n_head * width));
  const { lora, ...plain } = generator;
  const adapters = lora && n_head === generator.n_head ? { lora } : {};
  return {
    model: { ...plain, ...adapters, n_head, n_embd: n_head * head, mode: 'generator' },
    steps,
  };
}
