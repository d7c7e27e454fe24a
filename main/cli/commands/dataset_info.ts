/** `verisim dataset_info`: what a reward dataset holds, in the documented words (specification 3.8). */
import { folder } from '../../../shared/config/commands.js';
import { folderProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';

const own = {
  reward_data: folder('data/reward_dataset', 'reward_data'),
};

export const command = defineCommand({
  name: 'dataset_info',
  summary: 'Describe and check a reward dataset.',
  about: 'Shows how many samples a reward dataset has, how its targets are spread, and whether its two halves agree.',
  groups: [group('Dataset', own)],
  positional: 'reward_data',
  aliases: { data_dir: 'reward_data', output_dir: 'reward_data' },
  examples: ['dataset_info data/reward_dataset'],
  answers: true,
  problems: ({ reward_data }, files) => folderProblems(reward_data, files),
  job: async () => (await import('../../jobs/commands/dataset-info.js')).datasetInfoJob,
  report: ({ text }) => String(text),
});
