/** `verisim prepare_reward_data`: natural beginnings with generated endings, for the reward model. */
import { t } from '../language.js';
import { rewardDataOwn } from '../../../shared/config/commands.js';
import { rewardDataProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { data, generation, rewardData, machine } from '../groups.js';
import { program, shellWord } from '../../../shared/config/command-line.js';
import { count } from '../../../shared/messages/message.js';

export const command = defineCommand({
  name: 'prepare_reward_data',
  groups: [group('run', rewardDataOwn), data, rewardData, generation, machine],
  aliases: { out_dir: 'output_dir' },
  examples: [
    'prepare_reward_data --model_path out --data_path book.txt',
    'prepare_reward_data --model_path out --input_mode binary --train_bin out/data/train.bin --val_bin out/data/val.bin --tokenization char --meta_path out/data/meta.pkl',
  ],
  problems: rewardDataProblems,
  job: async () => (await import('../../jobs/commands/prepare-reward-data.js')).prepareRewardDataJob,
  report: ({ train_samples, val_samples, block_size }, style, { output_dir, model_path }) =>
    [
      '',
      style.bold(t('reports.reward_data', { folder: output_dir })),
      t('reports.reward_samples', {
        train: count(Number(train_samples)),
        val: count(Number(val_samples)),
        size: Number(block_size),
      }),
      '',
      `Look at it:  ${program} dataset_info ${shellWord(output_dir)}`,
      `Next:        ${program} train_reward_model --model_path ${shellWord(model_path)} --reward_data ${shellWord(output_dir)}`,
      '',
    ].join('\n'),
});
