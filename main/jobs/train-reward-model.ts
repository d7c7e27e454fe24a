/** Trains a reward model on a reward dataset (seed 000, part 4, step 2). */
import { UserError } from '../../shared/errors.js';
import type { RewardModelCommand } from '../../shared/config/commands.js';
import { usesCritic } from '../../shared/config/model.js';
import { isBlind, rewardVerdict } from '../engine/reward-report.js';
import { trainRewardModel } from '../engine/reward.js';
import { saveModel } from '../storage/models.js';
import { openRewardDataset } from '../storage/reward-dataset-files.js';
import { modelInputs, openModel, type LoadedModel } from './models.js';
import { openRunFolder } from './run-folder.js';
import { mustFit } from './text.js';
import { environmentOf, type Job, type JobContext } from './types.js';

export const trainRewardModelJob: Job<RewardModelCommand> = async (config, context) => {
  const { out_dir, overwrite, reward_data, seed } = config;
  const base = openModel(config.model_path, 'generator', { context });
  const critic = openCritic(config, base, context);
  checkUnfreeze(config.reward_unfreeze, (critic ?? base).config.n_layer);
  const { method, vocab_size: vocabSize } = base.tokenization;
  const expectedTokenization = { method, vocabSize };
  const train = openRewardDataset(reward_data, 'train', { expectedTokenization });
  const val = openRewardDataset(reward_data, 'val', { expectedTokenization });
  checkBlockSize(train.blockSize, base.config.block_size);
  const run = openRunFolder(out_dir, {
    command: 'train_reward_model',
    settings: config,
    inputs: [
      ...modelInputs(config.model_path, 'generator'),
      ...(config.critic_path === undefined ? [] : modelInputs(config.critic_path, 'generator')),
      reward_data,
    ],
    overwrite,
    context,
  });
  try {
    if (run.finished) return run.finished;
    const start = { ...base.config, reward_head_hidden_dim: config.reward_head_hidden_dim };
    const message = `Training a reward model on ${train.numSamples.toLocaleString('en-US')} samples`;
    context.emit({ event: 'phase', phase: 'reward_model', state: 'started', message });
    const { model, weights, report } = await trainRewardModel({
      model: start,
      weights: base.weights,
      ...(critic ? { critic: { model: critic.config, weights: critic.weights } } : {}),
      trainSamples: train,
      valSamples: val,
      config,
      seed,
      slot: run.slot,
      env: await environmentOf(run.context),
    });
    const verdict = rewardVerdict(report);
    const blind = isBlind(report);
    const code = blind ? 'reward_blind' : 'reward_sees';
    context.emit({ event: 'notice', level: blind ? 'warning' : 'info', code, message: verdict });
    const facts = JSON.parse(JSON.stringify(report)) as Record<string, never>;
    saveModel(run.modelFolder, {
      weights,
      config: model,
      tokenization: base.tokenization,
      provenance: { command: 'train_reward_model', base: config.model_path, seed, ...facts },
    });
    const results = { ...facts, verdict, out_dir, model_path: run.modelFolder };
    run.finish(results);
    return results;
  } finally {
    run.close();
    train.close();
    val.close();
  }
};

/** The stronger model that some kinds compare the generator with; null for the others. */
function openCritic(
  { reward_kind, critic_path }: RewardModelCommand,
  base: LoadedModel,
  context: JobContext,
): LoadedModel | null {
  if (!usesCritic(reward_kind)) return null;
  if (critic_path === undefined) {
    throw new UserError({
      code: 'bad_input',
      message: `reward_kind ${reward_kind} compares the generator with a critic, and no critic was given`,
      hint: 'Train a stronger model on the same text (train --max_iters … --out_dir out-critic) and give --critic_path out-critic, or use --reward_kind head.',
      field: 'critic_path',
    });
  }
  const critic = openModel(critic_path, 'generator', { context, field: 'critic_path' });
  mustFit(base.tokenization, critic.tokenization);
  checkBlockSize(base.config.block_size, critic.config.block_size);
  return critic;
}

function checkBlockSize(samples: number, model: number): void {
  if (samples === model) return;
  throw new UserError({
    code: 'tokenization_mismatch',
    message: `The dataset's samples have ${samples} tokens, the model's context has ${model}`,
    hint: 'Use the model that the dataset was made with, or make a dataset with this one.',
    field: 'reward_data',
  });
}

function checkUnfreeze(unfreeze: number, layers: number): void {
  if (unfreeze <= layers) return;
  throw new UserError({
    code: 'bad_input',
    message: `reward_unfreeze (${unfreeze}) is more than the model has layers (${layers})`,
    hint: `Use --reward_unfreeze ${layers} or less.`,
    field: 'reward_unfreeze',
  });
}
