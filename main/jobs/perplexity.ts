/** Measures how surprised a model is by a text it has not been trained on (seed 000, part 4). */
import type { PerplexityCommand } from '../../shared/config/commands.js';
import { perplexity } from '../engine/perplexity.js';
import { openModel } from './models.js';
import { openTextFor } from './text.js';
import { environmentOf, interruptible, type Job } from './types.js';

export const perplexityJob: Job<PerplexityCommand> = async (config, context) => {
  const { config: model, weights, tokenization } = openModel(config.model_path, 'generator', { context, data: config });
  const text = await openTextFor(tokenization, config, context);
  try {
    const tokens = config.split === 'val' ? text.val : text.train;
    const result = await perplexity({ model, weights, tokens, env: interruptible(await environmentOf(context)) });
    return { ...result, split: config.split, model_path: config.model_path };
  } finally {
    text.close();
  }
};
