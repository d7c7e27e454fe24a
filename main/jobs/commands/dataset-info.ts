/** Describes and checks a reward dataset, in the documented words (specification 3.8 and 3.9). */
import { UserError } from '../../../shared/errors.js';
import { localized, verbatim, type Message } from '../../../shared/messages/message.js';
import type { Json } from '../../engine/types.js';
import { inspectRewardDataset } from '../../storage/datasets/reward-dataset-inspection.js';
import { notice, type Job } from '../types.js';

/** @throws UserError if the dataset cannot be used, after reporting everything that was found */
export const datasetInfoJob: Job<{ readonly reward_data: string }> = async ({ reward_data }, context) => {
  const { text, checks, faults } = inspectRewardDataset(reward_data);
  const [first] = faults;
  if (!first) return { text, reward_data, checks: checks as unknown as Json };
  if (text !== '') context.emit(notice('dataset_info', verbatim(text.replace(/\n+/g, '\n'))));
  const messages = faults.map((fault) => fault.toFault().message as Message);
  const different = [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
  throw new UserError(
    { ...first.toFault(), message: localized('text.verbatim', { text: different }) },
    { cause: first },
  );
};
