/** GPTConfig: the shape of the network, with the specification's fields and defaults (specification 1.1). */
import { z } from 'zod';
import { parameter, real, whole } from './parameter.js';

export const modelShape = {
  block_size: parameter(whole(2, 65536).default(1024), {
    label: 'Context length',
    help: 'How many tokens the model sees at once.',
  }),
  vocab_size: parameter(whole(1, 65536).default(50304), {
    label: 'Vocabulary size',
    help: 'How many different tokens there are; taken from the tokenizer when data is prepared.',
    advanced: true,
  }),
  n_layer: parameter(whole(1, 256).default(12), {
    label: 'Layers',
    help: 'How many transformer blocks are stacked.',
  }),
  n_head: parameter(whole(1, 256).default(12), {
    label: 'Attention heads',
    help: 'How many places each layer can attend to at once; must divide the width.',
  }),
  n_embd: parameter(whole(1, 65536).default(768), {
    label: 'Width',
    help: 'How many numbers describe each token inside the model.',
  }),
  dropout: parameter(real(0, 0.99).default(0), {
    label: 'Dropout',
    help: 'Share of activations switched off at random in training, against memorising a small text.',
  }),
  bias: parameter(z.boolean().default(true), {
    label: 'Biases',
    help: 'Whether linear layers and layer norms have a bias, as in GPT-2.',
    advanced: true,
  }),
  mode: parameter(z.enum(['generator', 'reward']).default('generator'), {
    label: 'Mode',
    help: 'generator predicts the next token; reward predicts how much of a passage is natural.',
    advanced: true,
  }),
  reward_head_hidden_dim: parameter(whole(1, 65536).default(256), {
    label: 'Reward head width',
    help: 'Hidden units of the reward model’s head.',
    advanced: true,
  }),
  reward_kind: parameter(z.enum(['head', 'token', 'critic', 'hybrid']).default('head'), {
    label: 'Reward model',
    help: 'How natural text is told from generated: head is the guide’s (a head on the generator’s last position), token decides for each position, critic compares with a stronger language model, hybrid adds a learned head to the critic.',
  }),
  reward_pooling: parameter(z.enum(['last', 'mean', 'attention']).default('last'), {
    label: 'Reward pooling',
    help: 'What the head of reward_kind head sees: the last position as in the guide, the mean of all, or a learned average.',
    advanced: true,
  }),
};

const kinds = modelShape.reward_kind.unwrap();
const poolings = modelShape.reward_pooling.unwrap();
/** What only reward models have may be left out, and is then as in the specification: `head`, `last`. */
const keptShape = { ...modelShape, reward_kind: kinds.optional(), reward_pooling: poolings.optional() };

/** What makes a model shape impossible although each field is in range. */
export const modelConfigSchema = z.object(keptShape).superRefine((config, context) => {
  if (config.n_embd % config.n_head !== 0) {
    const nearest = Math.max(1, Math.round(config.n_embd / config.n_head)) * config.n_head;
    context.addIssue({
      code: 'custom',
      path: ['n_embd'],
      message: `n_embd (${config.n_embd}) must be divisible by n_head (${config.n_head}); the nearest that is: ${nearest}`,
    });
  }
});

export type GPTConfig = z.infer<typeof modelConfigSchema>;
export const rewardKinds = kinds.options;
export type RewardKind = (typeof rewardKinds)[number];

/** Kinds of reward model that compare the generator with a critic. */
export const usesCritic = (kind: RewardKind | undefined): boolean => kind === 'critic' || kind === 'hybrid';
