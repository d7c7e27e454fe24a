/** `verisim train`: a base model from a text. */
import { networkShape, trainOwn } from '../../../shared/config/commands.js';
import { trainProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { data, training, logging, machine, cluster } from '../groups.js';
import { program, shellWord } from '../../../shared/config/command-line.js';
import { compact, fixed, grouped, perText } from '../words.js';

export const command = defineCommand({
  name: 'train',
  groups: [group('run', trainOwn), data, group('model', networkShape), training, logging, machine, cluster],
  aliases: { output_dir: 'out_dir' },
  examples: [
    'train --data_path book.txt --tokenization char --out_dir out',
    'train --input_mode binary --train_bin data/train.bin --val_bin data/val.bin --preset small',
  ],
  problems: trainProblems,
  job: async () => (await import('../../jobs/commands/train.js')).trainJob,
  report: (results, style, { out_dir }) => {
    const { val_loss, perplexity, iterations, best_iteration, tokens_per_second, parameters, window } = results;
    return [
      '',
      style.bold(`The model is trained: ${out_dir}`),
      `  held-out loss  ${[perText(results), `${fixed(val_loss, 4)} nats per token`].filter(Boolean).join(', ')}${windowed(window)}`,
      `  perplexity     ${fixed(perplexity, 2)}: at each token it is as unsure as between that many equally likely ones`,
      `  size           ${grouped(Number(parameters))} weights`,
      `  steps          ${grouped(Number(iterations))}, the best after ${grouped(Number(best_iteration))}; ${compact(Number(tokens_per_second))} tokens a second`,
      '',
      `Let it write:  ${program} sample ${shellWord(out_dir)}`,
      `Next:          ${program} prepare_reward_data --model_path ${shellWord(out_dir)} …`,
      '',
    ].join('\n');
  },
});

/** Where held-out text is not read as training reads it. */
const windowed = (tokens: unknown): string =>
  typeof tokens === 'number' ? `, seeing ${grouped(tokens)} tokens at once` : '';
