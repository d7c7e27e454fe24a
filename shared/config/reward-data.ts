/** The reward dataset: natural beginnings, generated endings, and where one becomes the other (specification 3). */
import { z } from 'zod';
import { parameter, whole } from './parameter.js';

export const rewardDataShape = {
  samples_per_chunk: parameter(whole(1).default(10)),
  reward_train_samples: parameter(whole(1).nullable().default(null), { advanced: true }),
  reward_val_samples: parameter(whole(2).nullable().default(null), { advanced: true }),
};

/** Passages written at once. */
export const WRITING_BATCH = 32;

export const rewardDataConfigSchema = z.object(rewardDataShape);
export type RewardDataConfig = z.infer<typeof rewardDataConfigSchema>;
