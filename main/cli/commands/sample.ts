/** `verisim sample`: let a model write. */
import { commandSpecs, sampleCommandShape } from '../../../shared/config/commands.js';
import { sampleProblems } from '../../jobs/problems.js';
import { sampleJob } from '../../jobs/sample.js';
import { defineCommand } from '../command.js';

export const command = defineCommand(sampleCommandShape, {
  spec: commandSpecs.sample,
  answers: true,
  problems: sampleProblems,
  run: sampleJob,
  report: ({ samples }, style) => {
    const texts = (Array.isArray(samples) ? samples : []) as readonly { prompt: string; completion: string }[];
    return `${texts.map(({ prompt, completion }) => style.bold(prompt) + completion).join(`\n${style.dim('───────────────')}\n`)}\n`;
  },
});
