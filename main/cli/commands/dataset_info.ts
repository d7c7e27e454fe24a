/** `verisim dataset_info`: what a reward dataset holds, in the documented words (specification 3.8). */
import { folder } from '../../../shared/config/commands.js';
import { folderProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';

const own = {
  reward_data: folder('data/reward_dataset', 'reward_data'),
};

export const command = defineCommand({
  name: 'dataset_info',
  groups: [group('dataset', own)],
  positional: 'reward_data',
  aliases: { data_dir: 'reward_data', output_dir: 'reward_data' },
  examples: ['dataset_info data/reward_dataset'],
  answers: true,
  problems: ({ reward_data }, files) => folderProblems(reward_data, files),
  job: async () => (await import('../../jobs/commands/dataset-info.js')).datasetInfoJob,
  report: ({ text }) => String(text),
});
