/** `verisim train`: a base model from a text. */
import { commandSpecs, trainCommandShape } from '../../../shared/config/commands.js';
import { trainProblems } from '../../jobs/problems.js';
import { trainJob } from '../../jobs/train.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';
import { compact, fixed, grouped } from '../words.js';

export const command = defineCommand(trainCommandShape, {
  spec: commandSpecs.train,
  problems: trainProblems,
  run: trainJob,
  report: (results, style, { out_dir }) => {
    const { val_loss, perplexity, iterations, best_iteration, tokens_per_second, parameters } = results;
    return [
      '',
      style.bold(`The model is trained: ${out_dir}`),
      `  held-out loss  ${fixed(val_loss, 4)} nats per token`,
      `  perplexity     ${fixed(perplexity, 2)}: at each token it is as unsure as between that many equally likely ones`,
      `  size           ${grouped(Number(parameters))} weights`,
      `  steps          ${grouped(Number(iterations))}, the best after ${grouped(Number(best_iteration))}; ${compact(Number(tokens_per_second))} tokens a second`,
      '',
      `Let it write:  ${program} sample ${out_dir}`,
      `Go on:         ${program} prepare_reward_data --model_path ${out_dir} …`,
      '',
    ].join('\n');
  },
});
