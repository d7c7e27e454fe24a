/** Measures a model's perplexity on a text (specification 5). */
import type { DataConfig } from '../../../shared/config/data.js';
import { sampleOf } from '../../engine/statistics/held-out-change.js';
import { perplexity } from '../../engine/train/perplexity.js';
import { plainJson } from '../../formats/stable-json.js';
import { fetchNamedModel, mustBeFinite, openModel } from '../models.js';
import { openTextFor } from '../text.js';
import { environmentOf, interruptible, type Job } from '../types.js';

interface PerplexitySettings extends DataConfig {
  readonly model_path: string;
  readonly split: 'train' | 'val';
}

export const perplexityJob: Job<PerplexitySettings> = async (config, context) => {
  await fetchNamedModel(config.model_path, context);
  const { config: model, weights, tokenization } = openModel(config.model_path, 'generator', { context, data: config });
  mustBeFinite({ weights }, config.model_path);
  const text = await openTextFor(tokenization, config, context);
  try {
    const tokens = config.split === 'val' ? text.val : text.train;
    const env = interruptible(await environmentOf(context));
    const { tokenizer: vocabulary } = text;
    const { parts, ...result } = await perplexity({ model, weights, tokens, vocabulary, phase: 'evaluation', env });
    const sample = sampleOf(parts, tokens.length);
    return { ...plainJson({ ...result, ...sample }), split: config.split, model_path: config.model_path };
  } finally {
    text.close();
  }
};
