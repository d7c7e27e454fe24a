/** Training the reward model (specification 5.3). Flags carry `reward_` so that they stand beside base training's. */
import { z } from 'zod';
import { modelShape } from './model.js';
import { parameter, positive, real, whole } from './parameter.js';

export const rewardModelShape = {
  reward_kind: modelShape.reward_kind,
  reward_pooling: modelShape.reward_pooling,
  reward_loss: parameter(z.enum(['mse', 'cross_entropy']).default('mse'), {
    label: 'Reward loss',
    help: 'How far the predicted fraction is from the true one: squared error, or cross-entropy.',
    choices: { mse: 'Squared error', cross_entropy: 'Cross-entropy' },
  }),
  reward_unfreeze: parameter(whole(0, 256).default(0), {
    label: 'Unfrozen blocks',
    help: 'How many of the last transformer blocks train along with the head; 0 keeps the whole trunk frozen.',
    advanced: true,
  }),
  reward_learning_rate: parameter(positive().default(1e-4), {
    label: 'Reward learning rate',
    help: 'Size of a training step of the reward model.',
  }),
  reward_batch_size: parameter(whole(1, 65536).default(32), {
    label: 'Reward batch size',
    help: 'Samples per step of the reward model.',
  }),
  reward_max_iters: parameter(whole(1).default(2000), {
    label: 'Reward steps',
    help: 'At most this many steps; early stopping may end sooner.',
  }),
  reward_eval_interval: parameter(whole(1).default(100), {
    label: 'Evaluate reward every',
    help: 'Steps between two evaluations of the reward model.',
    advanced: true,
  }),
  reward_weight_decay: parameter(real(0, 10).default(0), {
    label: 'Reward weight decay',
    help: 'Pulls the reward head’s matrices towards zero.',
    advanced: true,
  }),
  reward_patience: parameter(whole(1).default(5), {
    label: 'Reward patience',
    help: 'Stop after this many evaluations of the reward model without improvement.',
  }),
  reward_min_delta: parameter(real(0).default(1e-5), {
    label: 'Smallest reward improvement',
    help: 'An evaluation counts as better only when the validation loss fell by at least this much.',
    advanced: true,
  }),
};

/**
 * Rows scored together; any number gives the same results up to rounding. Few sizes, as each is a graph of its own to
 * compile, and a small one, so that a step of GRPO does not score twice the rows it has.
 */
export const SCORING_BATCHES = [32, 64] as const;

/** Hidden states of a frozen trunk take no more memory than this, all samples together; else each step computes its own. */
export const MAX_STATE_BYTES = 2 ** 29;

export type RewardModelConfig = z.infer<z.ZodObject<typeof rewardModelShape>>;
