/** `verisim perplexity`: how surprised a model is by a text. */
import { modelPath } from '../../../shared/config/commands.js';
import { parameter } from '../../../shared/config/parameter.js';
import { z } from 'zod';
import { perplexityProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { data, machine } from '../groups.js';
import { fixed, grouped, perText } from '../words.js';

const own = {
  model_path: modelPath,
  split: parameter(z.enum(['val', 'train']).default('val'), { option: 'perplexity.split' }),
};

export const command = defineCommand({
  name: 'perplexity',
  groups: [group('measure', own), data, machine],
  positional: 'model_path',
  examples: ['perplexity out --data_path book.txt'],
  answers: true,
  problems: perplexityProblems,
  job: async () => (await import('../../jobs/commands/perplexity.js')).perplexityJob,
  report: ({ loss, perplexity, tokens, ...results }) => {
    const perToken = `loss ${fixed(loss, 4)} nats per token, perplexity ${fixed(perplexity, 3)} (over ${grouped(Number(tokens))} tokens)\n`;
    return perText(results) === '' ? perToken : `${perText(results)}\n${perToken}`;
  },
});
