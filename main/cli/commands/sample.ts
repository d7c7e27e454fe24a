/** `verisim sample`: let a model write. */
import { modelPath } from '../../../shared/config/commands.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import { z } from 'zod';
import { sampleProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { machine, reading } from '../groups.js';

const own = {
  model_path: modelPath,
  prompt: parameter(z.string().optional(), { option: 'sample.prompt' }),
  num_samples: parameter(whole(1, 10000).default(4), { option: 'sample.num_samples' }),
  max_new_tokens: parameter(whole(1, 1_000_000).default(200), { option: 'sample.max_new_tokens' }),
};

export const command = defineCommand({
  name: 'sample',
  groups: [group('sample', own), reading, machine],
  positional: 'model_path',
  examples: ['sample out --prompt "Call me" --num_samples 2 --top_p 0.9'],
  answers: true,
  problems: sampleProblems,
  job: async () => (await import('../../jobs/commands/sample.js')).sampleJob,
  report: ({ samples }, style) => {
    const texts = (Array.isArray(samples) ? samples : []) as readonly { prompt: string; completion: string }[];
    return `${texts.map(({ prompt, completion }) => style.bold(prompt) + completion).join(`\n${style.dim('───────────────')}\n`)}\n`;
  },
});
