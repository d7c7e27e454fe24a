/** `verisim train_grpo`: the base model learns from the reward model’s judgement. */
import { t } from '../language.js';
import { grpoOwn } from '../../../shared/config/commands.js';
import { grpoShape } from '../../../shared/config/grpo.js';
import { dataShape } from '../../../shared/config/data.js';
import { grpoProblems } from '../../jobs/problems.js';
import { defineCommand, group, withoutPrefix } from '../command.js';
import { data, generation, grpo, logging, machine } from '../groups.js';
import { program, shellWord } from '../../../shared/config/command-line.js';
import { fixed, grouped, percent, perText } from '../words.js';

export const command = defineCommand({
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
  report: (results, style, { out_dir }) => {
    return [
      '',
      style.bold(t('reports.improved', { folder: out_dir })),
      `  mean reward  ${percent(results['reward_first'], 1)} → ${percent(results['reward_last'], 1)}  (how natural the reward model finds what it writes)`,
      ...(perText(results, '_before') === ''
        ? []
        : [`  held out     ${perText(results, '_before')} → ${perText(results, '_after')}`]),
      `  perplexity   ${fixed(results['perplexity_before'], 2)} → ${fixed(results['perplexity_after'], 2)}  (on held-out text; a clear rise means that language was lost)`,
      `  KL           ${fixed(results['kl'], 4)} nats per token from where it began`,
      `  steps        ${grouped(Number(results['steps']))}`,
      '',
      t('reports.let_it_write', { command: `${program} sample ${shellWord(out_dir)}` }),
      '',
    ].join('\n');
  },
});
