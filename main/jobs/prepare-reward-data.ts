/** Makes a reward dataset from a model and a text: the seeds’ prepare_reward_data.py (seed 000, part 3). */
import { UserError } from '../../shared/errors.js';
import type { RewardDataCommand } from '../../shared/config/commands.js';
import { makeRewardData } from '../engine/reward-data.js';
import { createRewardDatasetWriter } from '../storage/reward-dataset-files.js';
import { checkTopK, openModel } from './models.js';
import { openTextFor } from './text.js';
import { environmentOf, type Job } from './types.js';

export const prepareRewardDataJob: Job<RewardDataCommand> = async (config, context) => {
  const { output_dir, overwrite, seed } = config;
  const { config: model, weights, tokenization } = openModel(config.model_path, 'generator');
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
      const counts = { train: 0, val: 0 };
      for (const split of ['train', 'val'] as const) {
        const words = split === 'train' ? 'training' : 'validation';
        context.emit({ event: 'phase', phase: 'reward_data', state: 'started', message: `Writing ${words} samples` });
        const { samples } = await makeRewardData({
          model,
          weights,
          tokens: text[split],
          split,
          config,
          generation: config,
          seed,
          vocabLimit: tokenization.vocab_size,
          append: (x, y) => writer.append(split, x, y),
          env,
        });
        counts[split] = samples;
      }
      writer.finish();
      return {
        train_samples: counts.train,
        val_samples: counts.val,
        block_size: model.block_size,
        output_dir,
      };
    } catch (error) {
      writer.abort();
      throw isStop(error) ? nothingWritten() : error;
    }
  } finally {
    text.close();
  }
};

const isStop = (error: unknown) => error instanceof UserError && error.code === 'stopped';

/** The engine speaks of a checkpoint; here there is none, because a dataset is whole or not there. */
const nothingWritten = () =>
  new UserError({
    code: 'stopped',
    message: 'Stopped; the unfinished dataset was removed.',
    hint: 'Run the same command again to make it from the beginning.',
  });
