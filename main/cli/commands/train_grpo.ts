/** `verisim train_grpo`: the base model learns from the reward model’s judgement. */
import { commandSpecs, grpoCommandShape } from '../../../shared/config/commands.js';
import { grpoProblems } from '../../jobs/problems.js';
import { trainGrpoJob } from '../../jobs/train-grpo.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';
import { fixed, grouped } from '../words.js';

export const command = defineCommand(grpoCommandShape, {
  spec: commandSpecs.train_grpo,
  problems: grpoProblems,
  run: trainGrpoJob,
  report: (results, style, { out_dir }) => {
    const change = (before: string, after: string, digits: number) =>
      `${fixed(results[before], digits)} → ${fixed(results[after], digits)}`;
    return [
      '',
      style.bold(`The improved model: ${out_dir}`),
      `  mean reward  ${change('reward_first', 'reward_last', 3)}  (how natural the reward model finds what it writes, 0 to 1)`,
      `  perplexity   ${change('perplexity_before', 'perplexity_after', 2)}  (on held-out text; a clear rise means that language was lost)`,
      `  KL           ${fixed(results['kl'], 4)} nats per token from where it began`,
      `  steps        ${grouped(Number(results['steps']))}`,
      '',
      `Let it write:  ${program} sample ${out_dir}`,
      '',
    ].join('\n');
  },
});
