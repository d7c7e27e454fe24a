/** `verisim prepare_reward_data`: natural beginnings with generated endings, for the reward model. */
import { commandSpecs, rewardDataCommandShape } from '../../../shared/config/commands.js';
import { prepareRewardDataJob } from '../../jobs/prepare-reward-data.js';
import { rewardDataProblems } from '../../jobs/problems.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';
import { grouped } from '../words.js';

export const command = defineCommand(rewardDataCommandShape, {
  spec: commandSpecs.prepare_reward_data,
  problems: rewardDataProblems,
  run: prepareRewardDataJob,
  report: ({ train_samples, val_samples, block_size }, style, { output_dir, model_path }) =>
    [
      '',
      style.bold(`The reward dataset is ready: ${output_dir}`),
      `  ${grouped(Number(train_samples))} training and ${grouped(Number(val_samples))} validation samples of ${String(block_size)} tokens`,
      '',
      `Look at it:  ${program} dataset_info ${output_dir}`,
      `Go on:       ${program} train_reward_model --model_path ${model_path} --reward_data ${output_dir}`,
      '',
    ].join('\n'),
});
