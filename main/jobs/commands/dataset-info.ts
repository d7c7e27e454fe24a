/** Describes and checks a reward dataset, in the documented words (specification 3.8 and 3.9). */
import { UserError } from '../../../shared/errors.js';
import { typed } from '../../../shared/sentence.js';
import type { Json } from '../../engine/types.js';
import { inspectRewardDataset } from '../../storage/datasets/reward-dataset-inspection.js';
import type { Job } from '../types.js';

/** @throws UserError when the dataset cannot be used, after telling everything that was found */
export const datasetInfoJob: Job<{ readonly reward_data: string }> = async ({ reward_data }, context) => {
  const { text, checks, faults } = inspectRewardDataset(reward_data);
  const [first] = faults;
  if (first) {
    for (const message of text.split('\n').filter((line) => line !== '')) {
      context.emit({ event: 'notice', level: 'info', code: 'dataset_info', message });
    }
    const message = [...new Set(faults.map((fault) => typed(fault.message)))].join('; ');
    throw new UserError({ ...first.toFault(), message }, { cause: first });
  }
  return { text, reward_data, checks: checks as unknown as Json };
};
