/** `verisim train_reward_model`: a head on the base model’s trunk that says how much of a passage is natural. */
import { commandSpecs, rewardModelCommandShape } from '../../../shared/config/commands.js';
import { rewardModelProblems } from '../../jobs/problems.js';
import { trainRewardModelJob } from '../../jobs/train-reward-model.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';
import { fixed, table } from '../words.js';

interface Bin {
  readonly [key: string]: unknown;
}

/** The ten bins as a small table, whatever figures they carry. */
function calibrationLines(calibration: unknown): string[] {
  const bins = (Array.isArray(calibration) ? calibration : []) as readonly Bin[];
  const [first] = bins;
  if (!first) return [];
  const keys = Object.keys(first);
  const cell = (value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? fixed(value, 3) : value === null ? '-' : String(value);
  const rows = [keys.map((key) => key.replaceAll('_', ' ')), ...bins.map((bin) => keys.map((key) => cell(bin[key])))];
  return [
    '',
    'What it answered, and what was true:',
    ...table(rows)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
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
      String(results['verdict'] ?? ''),
      '',
      `Go on:  ${program} train_grpo --model_path ${model_path} --reward_model_path ${out_dir} …`,
      '',
    ].join('\n'),
});
