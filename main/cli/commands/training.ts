/** The steps of a cycle as single commands, which the specification names. */
import { networkShape, grpoOwn, rewardDataOwn, rewardModelOwn, trainOwn } from '../../../shared/config/commands.js';
import { dataShape } from '../../../shared/config/data.js';
import { grpoShape } from '../../../shared/config/grpo.js';
import { rewardModelShape } from '../../../shared/config/reward-model.js';
import { count } from '../../../shared/messages/message.js';
import { grpoProblems, rewardDataProblems, rewardModelProblems, trainProblems } from '../../jobs/problems.js';
import { defineCommand, group, withoutPrefix } from '../command.js';
import { cluster, data, generation, grpo, logging, machine, rewardData, rewardModel, training } from '../groups.js';
import { t } from '../language.js';
import { commandText, compact, fixed, grouped, percent, perText, sampleIn } from '../words.js';

const letItWrite = (folder: string) => t('reports.let_it_write', { command: commandText('sample', folder) });
const next = (...words: readonly string[]) => t('reports.next', { command: commandText(...words) });

/** Trains a base model on a text. */
export const train = defineCommand({
  name: 'train',
  groups: [group('run', trainOwn), data, group('model', networkShape), training, logging, machine, cluster],
  aliases: { output_dir: 'out_dir' },
  examples: [
    'train --data_path book.txt --tokenization char --out_dir out',
    'train --input_mode binary --train_bin data/train.bin --val_bin data/val.bin --preset small',
  ],
  problems: trainProblems,
  job: async () => (await import('../../jobs/commands/train.js')).trainJob,
  report(results, style, { out_dir }) {
    const { val_loss, perplexity, iterations, best_iteration, tokens_per_second, parameters, window } = results;
    return [
      '',
      style.bold(t('reports.trained', { folder: out_dir })),
      t('reports.training', {
        perText: perText(results),
        sample: sampleIn(results),
        loss: fixed(val_loss, 4),
        window: typeof window === 'number' ? count(window) : null,
        perplexity: fixed(perplexity, 2),
        parameters: count(Number(parameters)),
        steps: count(Number(iterations)),
        best: count(Number(best_iteration)),
        speed: compact(tokens_per_second),
      }),
      '',
      letItWrite(out_dir),
      `${next('prepare_reward_data', '--model_path', out_dir)} …`,
      '',
    ].join('\n');
  },
});

/** Writes natural beginnings with generated endings, for the reward model. */
export const prepareRewardData = defineCommand({
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
      t('reports.look_at_it', { command: commandText('dataset_info', output_dir) }),
      next('train_reward_model', '--model_path', model_path, '--reward_data', output_dir),
      '',
    ].join('\n'),
});

/** Trains a head on the base model's trunk that predicts how much of a passage is natural. */
export const trainRewardModel = defineCommand({
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
  report: ({ val_mse, baseline_mse, val_mae, r2, correlation }, style, { out_dir, model_path }) =>
    [
      '',
      style.bold(t('reports.reward_model', { folder: out_dir })),
      t('reports.reward_model_figures', {
        mse: fixed(val_mse, 5),
        baseline: fixed(baseline_mse, 5),
        mae: fixed(val_mae, 4),
        r2: fixed(r2, 4),
        correlation: fixed(correlation, 4),
      }),
      '',
      `${next('train_grpo', '--model_path', model_path, '--reward_model_path', out_dir)} …`,
      '',
    ].join('\n'),
});

/** Trains the base model on the reward model's judgement. */
export const trainGrpo = defineCommand({
  name: 'train_grpo',
  groups: [group('run', grpoOwn), data, grpo, generation, logging, machine],
  aliases: {
    ...withoutPrefix('grpo_', grpoShape, { ...grpoOwn, ...dataShape }),
    output_dir: 'out_dir',
    max_iters: 'grpo_max_steps',
  },
  examples: ['train_grpo --model_path out --reward_model_path out-reward --data_path book.txt'],
  problems: grpoProblems,
  job: async () => (await import('../../jobs/commands/train-grpo.js')).trainGrpoJob,
  report(results, style, { out_dir }) {
    const { reward_first, reward_last, perplexity_before, perplexity_after, kl, steps } = results;
    return [
      '',
      style.bold(t('reports.improved', { folder: out_dir })),
      t('reports.grpo', {
        first: percent(reward_first, 1),
        last: percent(reward_last, 1),
        before: perText(results, '_before'),
        after: perText(results, '_after'),
        perplexity_before: fixed(perplexity_before, 2),
        perplexity_after: fixed(perplexity_after, 2),
        kl: fixed(kl, 4),
        steps: grouped(steps),
      }),
      '',
      letItWrite(out_dir),
      '',
    ].join('\n');
  },
});
