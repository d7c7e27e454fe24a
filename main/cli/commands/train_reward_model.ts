/** `verisim train_reward_model`: a head on the base model’s trunk that says how much of a passage is natural. */
import { t } from '../language.js';
import { rewardModelOwn } from '../../../shared/config/commands.js';
import { rewardModelShape } from '../../../shared/config/reward-model.js';
import { rewardModelProblems } from '../../jobs/problems.js';
import { defineCommand, group, withoutPrefix } from '../command.js';
import { rewardModel, logging, machine } from '../groups.js';
import { program, shellWord } from '../../../shared/config/command-line.js';
import { fixed, table } from '../words.js';

interface Bin {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly meanPredicted: number | null;
  readonly meanTrue: number | null;
}

/** The ten bins as a small table; those without any passage are left out. */
function calibrationLines(calibration: unknown): string[] {
  const bins = ((Array.isArray(calibration) ? calibration : []) as readonly Bin[]).filter(({ count }) => count > 0);
  if (bins.length === 0) return [];
  const rows = bins.map(({ low, high, count, meanPredicted, meanTrue }) => [
    `${fixed(low, 1)} to ${fixed(high, 1)}`,
    String(count),
    fixed(meanPredicted, 3),
    fixed(meanTrue, 3),
  ]);
  const lines = table([['answers', 'passages', 'mean answer', 'true mean'], ...rows]).split('\n');
  return ['', 'What it answered, and how natural those passages were:', ...lines.map((line) => `  ${line}`)];
}

export const command = defineCommand({
  name: 'train_reward_model',
  groups: [group('run', rewardModelOwn), rewardModel, logging, machine],
  aliases: {
    ...withoutPrefix('reward_', rewardModelShape, rewardModelOwn),
    data_dir: 'reward_data',
    output_dir: 'out_dir',
    max_steps: 'reward_max_iters',
  },
  examples: ['train_reward_model --model_path out --reward_data data/reward_dataset'],
  problems: rewardModelProblems,
  job: async () => (await import('../../jobs/commands/train-reward-model.js')).trainRewardModelJob,
  report: (results, style, { out_dir, model_path }) =>
    [
      '',
      style.bold(t('reports.reward_model', { folder: out_dir })),
      `  mean squared error   ${fixed(results['val_mse'], 5)}  (always answering the mean: ${fixed(results['baseline_mse'], 5)})`,
      `  mean absolute error  ${fixed(results['val_mae'], 4)}`,
      `  R²                   ${fixed(results['r2'], 4)}: 0 is no better than guessing the mean, 1 is perfect`,
      `  correlation          ${fixed(results['correlation'], 4)}`,
      ...calibrationLines(results['calibration']),
      '',
      `Next:   ${program} train_grpo --model_path ${shellWord(model_path)} --reward_model_path ${shellWord(out_dir)} …`,
      '',
    ].join('\n'),
});
