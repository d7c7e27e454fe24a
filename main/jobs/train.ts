/** Base training as a job: text in, model out; the same command goes on where it stopped. */
import { UserError } from '../../shared/errors.js';
import type { TrainCommand } from '../../shared/config/commands.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { parameterCount } from '../engine/model.js';
import { trainBase } from '../engine/train.js';
import { saveModel } from '../storage/models.js';
import { trainingMustFit } from './memory.js';
import { hashTokens } from './reward-data-settings.js';
import { openRunFolder } from './run-folder.js';
import { openTrainingText, textInputs } from './text.js';
import { trainingEnvironmentOf } from './training-environment.js';
import type { Job } from './types.js';

export const trainJob: Job<TrainCommand> = async (config, context) => {
  const { out_dir, overwrite } = config;
  const run = openRunFolder(out_dir, {
    command: 'train',
    settings: config,
    inputs: textInputs(config),
    overwrite,
    context,
  });
  try {
    if (run.finished) return run.finished;
    const text = await openTrainingText(config, run.dataFolder, run.context, {
      blockSize: config.block_size,
    });
    try {
      const model = networkOf(config, text.tokenizer.vocabSize);
      const env = await trainingEnvironmentOf(run.context, config.threads);
      trainingMustFit(model, config, env.runtime);
      const message = `Training a model of ${parameterCount(model).toLocaleString('en-US')} weights`;
      context.emit({ event: 'phase', phase: 'base_training', state: 'started', message });
      const { weights, result } = await trainBase({
        model,
        train: config,
        seed: config.seed,
        trainTokens: text.train,
        valTokens: text.val,
        slot: run.slot,
        env,
      });
      saveModel(run.modelFolder, {
        weights,
        config: model,
        tokenization: text.tokenization,
        provenance: { command: 'train', seed: config.seed, text_sha256: hashTokens([text.train, text.val]), ...result },
      });
      const results = { ...result, parameters: parameterCount(model), out_dir, model_path: run.modelFolder };
      run.finish(results);
      return results;
    } finally {
      text.close();
    }
  } finally {
    run.close();
  }
};

type NetworkSettings = Omit<GPTConfig, 'mode' | 'vocab_size'> & { readonly vocab_size?: number | null };

/** The network for a vocabulary: as large as the tokenizer's, or padded to a larger size that was asked for. */
export function networkOf(config: NetworkSettings, tokens: number): GPTConfig {
  const { block_size, n_layer, n_head, n_embd, dropout, bias, reward_head_hidden_dim } = config;
  const vocab_size = config.vocab_size ?? tokens;
  if (vocab_size < tokens) {
    throw new UserError({
      code: 'token_out_of_range',
      message: `vocab_size (${vocab_size}) is smaller than the tokenizer's vocabulary (${tokens}): token ids reach ${tokens - 1}`,
      hint: 'Leave --vocab_size out to take the tokenizer’s.',
      field: 'vocab_size',
    });
  }
  return { block_size, vocab_size, n_layer, n_head, n_embd, dropout, bias, mode: 'generator', reward_head_hidden_dim };
}
