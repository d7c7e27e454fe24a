/** Training the reward model (specification 5.3). Flags carry `reward_` so that they differ from base training's. */
import type { z } from 'zod';
import { modelShape } from './model.js';
import { parameter, positive, whole } from './parameter.js';

export const rewardModelShape = {
  reward_kind: modelShape.reward_kind,
  reward_learning_rate: parameter(positive().default(1e-4)),
  reward_max_iters: parameter(whole(1).default(2000)),
};

/** How a head is trained besides what settings say. Patience is counted in evaluations. */
export const rewardTraining = { batchSize: 32, evalInterval: 100, patience: 5, minDelta: 1e-5 } as const;

/**
 * Rows scored together; any number gives the same results up to rounding. Few sizes, as each is a graph of its own to
 * compile, and a small one, so that a step of GRPO does not score twice the rows it has.
 */
export const SCORING_BATCHES = [32, 64] as const;

export type RewardModelConfig = z.infer<z.ZodObject<typeof rewardModelShape>>;
