/** `verisim dataset_info`: what a reward dataset holds, in the seeds’ words (seed 000, part 3.2.3). */
import { commandSpecs, datasetInfoCommandShape } from '../../../shared/config/commands.js';
import { datasetInfoJob } from '../../jobs/dataset-info.js';
import { folderProblems } from '../../jobs/problems.js';
import { defineCommand } from '../command.js';

export const command = defineCommand(datasetInfoCommandShape, {
  spec: commandSpecs.dataset_info,
  answers: true,
  problems: ({ reward_data }, files) => folderProblems(reward_data, files),
  run: datasetInfoJob,
  report: ({ text }) => String(text),
});
