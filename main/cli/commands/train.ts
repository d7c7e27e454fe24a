/** `verisim train`: a base model from a text. */
import { t } from '../language.js';
import { networkShape, trainOwn } from '../../../shared/config/commands.js';
import { trainProblems } from '../../jobs/problems.js';
import { count } from '../../../shared/messages/message.js';
import { defineCommand, group } from '../command.js';
import { data, training, logging, machine, cluster } from '../groups.js';
import { program, shellWord } from '../../../shared/config/command-line.js';
import { compact, fixed, perText } from '../words.js';

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
      style.bold(t('reports.trained', { folder: out_dir })),
      t('reports.training', {
        perText: perText(results),
        loss: fixed(val_loss, 4),
        window: typeof window === 'number' ? count(window) : null,
        perplexity: fixed(perplexity, 2),
        parameters: count(Number(parameters)),
        steps: count(Number(iterations)),
        best: count(Number(best_iteration)),
        speed: compact(Number(tokens_per_second)),
      }),
      '',
      t('reports.let_it_write', { command: `${program} sample ${shellWord(out_dir)}` }),
      t('reports.next', { command: `${program} prepare_reward_data --model_path ${shellWord(out_dir)} …` }),
      '',
    ].join('\n');
  },
});
