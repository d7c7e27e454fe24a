/** `verisim train_reward_model`: a head on the base model’s trunk that says how much of a passage is natural. */
import { commandSpecs, rewardModelCommandShape } from '../../../shared/config/commands.js';
import { rewardModelProblems } from '../../jobs/problems.js';
import { trainRewardModelJob } from '../../jobs/train-reward-model.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';
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

export const command = defineCommand(rewardModelCommandShape, {
  spec: commandSpecs.train_reward_model,
  problems: rewardModelProblems,
  run: trainRewardModelJob,
  report: (results, style, { out_dir, model_path }) =>
    [
      '',
      style.bold(`The reward model is trained: ${out_dir}`),
      `  mean squared error   ${fixed(results['val_mse'], 5)}  (always answering the mean: ${fixed(results['baseline_mse'], 5)})`,
      `  mean absolute error  ${fixed(results['val_mae'], 4)}`,
      `  R²                   ${fixed(results['r2'], 4)}: 0 is no better than guessing the mean, 1 is perfect`,
      `  correlation          ${fixed(results['correlation'], 4)}`,
      ...calibrationLines(results['calibration']),
      '',
      `Go on:  ${program} train_grpo --model_path ${model_path} --reward_model_path ${out_dir} …`,
      '',
    ].join('\n'),
});
