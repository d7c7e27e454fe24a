/** Makes a reward dataset from a model and a text: the seeds’ prepare_reward_data.py (seed 000, part 3). */
import type { RewardDataCommand } from '../../shared/config/commands.js';
import { makeRewardData } from '../engine/reward-data.js';
import { createRewardDatasetWriter } from '../storage/reward-dataset-files.js';
import { checkTopK, openModel } from './models.js';
import { openTextFor } from './text.js';
import { environmentOf, type Job } from './types.js';

export const prepareRewardDataJob: Job<RewardDataCommand> = async (config, context) => {
  const { output_dir, overwrite, seed } = config;
  const { config: model, weights, tokenization } = openModel(config.model_path, 'generator', { context, data: config });
  checkTopK(config.top_k, tokenization.vocab_size);
  const text = await openTextFor(tokenization, config, context);
  try {
    const writer = createRewardDatasetWriter(output_dir, {
      blockSize: model.block_size,
      // The person’s own meta.pkl is named in the metadata; one that was made for this run only is not.
      tokenization: {
        method: tokenization.method,
        vocabSize: tokenization.vocab_size,
        metaPath: config.meta_path ?? null,
      },
      overwrite,
    });
    try {
      const env = await environmentOf(context);
      context.emit({ event: 'phase', phase: 'reward_data', state: 'started', message: 'Writing reward data' });
      const counts = await makeRewardData({
        model,
        weights,
        tokens: text,
        config,
        generation: config,
        seed,
        vocabLimit: tokenization.vocab_size,
        append: (split, x, y) => writer.append(split, x, y),
        env,
      });
      writer.finish();
      return {
        train_samples: counts.train,
        val_samples: counts.val,
        block_size: model.block_size,
        output_dir,
      };
    } catch (error) {
      writer.abort();
      throw error;
    }
  } finally {
    text.close();
  }
};
