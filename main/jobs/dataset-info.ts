/** Describes and checks a reward dataset, in the seeds’ words (seed 000, parts 3.2.3 and 3.3.5; seed 001, step 3). */
import type { DatasetInfoCommand } from '../../shared/config/commands.js';
import { UserError } from '../../shared/errors.js';
import type { Json } from '../engine/types.js';
import { inspectRewardDataset } from '../storage/reward-dataset-inspection.js';
import type { Job } from './types.js';

/** @throws UserError when the dataset cannot be used, after telling everything that was found */
export const datasetInfoJob: Job<DatasetInfoCommand> = async ({ reward_data }, context) => {
  const { text, checks, faults } = await inspectRewardDataset(reward_data);
  const [first] = faults;
  if (first) {
    for (const message of text.split('\n').filter((line) => line !== '')) {
      context.emit({ event: 'notice', level: 'info', code: 'dataset_info', message });
    }
    const message = [...new Set(faults.map((fault) => fault.message))].join('; ');
    throw new UserError({ ...first.toFault(), message }, { cause: first });
  }
  return { text, reward_data, checks: checks as unknown as Json };
};
