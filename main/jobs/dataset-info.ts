/** Describes and checks a reward dataset, in the seeds’ words (seed 000, part 3.2.3). */
import type { DatasetInfoCommand } from '../../shared/config/commands.js';
import { describeRewardDataset } from '../storage/reward-dataset-files.js';
import type { Job } from './types.js';

export const datasetInfoJob: Job<DatasetInfoCommand> = async ({ reward_data }) => ({
  text: describeRewardDataset(reward_data),
  reward_data,
});
