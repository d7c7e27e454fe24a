/** `verisim perplexity`: how surprised a model is by a text. */
import { commandSpecs, perplexityCommandShape } from '../../../shared/config/commands.js';
import { perplexityJob } from '../../jobs/perplexity.js';
import { perplexityProblems } from '../../jobs/problems.js';
import { defineCommand } from '../command.js';
import { fixed, grouped } from '../words.js';

export const command = defineCommand(perplexityCommandShape, {
  spec: commandSpecs.perplexity,
  answers: true,
  problems: perplexityProblems,
  run: perplexityJob,
  report: ({ loss, perplexity, tokens }) =>
    `loss ${fixed(loss, 4)} nats per token, perplexity ${fixed(perplexity, 3)} (over ${grouped(Number(tokens))} tokens)\n`,
});
