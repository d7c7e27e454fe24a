/** GRPO as a job: a base model, a reward model and a text in; an improved base model out (seed 000, part 4, step 3). */
import { UserError } from '../../shared/errors.js';
import type { GrpoCommand } from '../../shared/config/commands.js';
import { usesCritic } from '../../shared/config/model.js';
import { trainGrpo } from '../engine/grpo.js';
import { saveModel } from '../storage/models.js';
import { grpoMustFit } from './memory.js';
import { checkTopK, modelInputs, openModel, type LoadedModel } from './models.js';
import { openRunFolder } from './run-folder.js';
import { mustFit, openTextFor, textInputs } from './text.js';
import { trainingEnvironmentOf } from './training-environment.js';
import type { Job } from './types.js';

export const trainGrpoJob: Job<GrpoCommand> = async (config, context) => {
  const { out_dir, overwrite, seed } = config;
  const base = openModel(config.model_path, 'generator', { context, data: config });
  const reward = openModel(config.reward_model_path, 'reward', { context, field: 'reward_model_path', data: config });
  mustShareText(base, reward);
  mustWeighTokens(config.reward_shape, reward);
  checkTopK(config.top_k, base.tokenization.vocab_size);
  const run = openRunFolder(out_dir, {
    command: 'train_grpo',
    settings: config,
    inputs: [
      ...modelInputs(config.model_path, 'generator'),
      ...modelInputs(config.reward_model_path, 'reward'),
      ...textInputs(config),
    ],
    overwrite,
    context,
  });
  try {
    if (run.finished) return run.finished;
    const text = await openTextFor(base.tokenization, config, run.context);
    try {
      const env = await trainingEnvironmentOf(run.context, config.threads);
      grpoMustFit(base.config, config, env.runtime);
      const message = `Improving ${config.model_path} with GRPO`;
      context.emit({ event: 'phase', phase: 'grpo', state: 'started', message });
      const { weights, result } = await trainGrpo({
        model: base.config,
        policy: base.weights,
        rewardModel: reward.config,
        rewardWeights: reward.weights,
        trainTokens: text.train,
        valTokens: text.val,
        config,
        generation: config,
        tokenization: base.tokenization.method,
        vocabLimit: base.tokenization.vocab_size,
        seed,
        slot: run.slot,
        env,
      });
      const facts = JSON.parse(JSON.stringify(result)) as Record<string, never>;
      saveModel(run.modelFolder, {
        weights,
        config: base.config,
        tokenization: base.tokenization,
        provenance: {
          command: 'train_grpo',
          base: config.model_path,
          reward_model: config.reward_model_path,
          seed,
          // Of what the base model was trained on: what it knows, this one knows.
          text_sha256: base.provenance['text_sha256'] ?? null,
          ...facts,
        },
      });
      const results = { ...facts, out_dir, model_path: run.modelFolder };
      run.finish(results);
      return results;
    } finally {
      text.close();
    }
  } finally {
    run.close();
  }
};

/** Only a critic's evidence gives a log-ratio. */
function mustWeighTokens(shape: GrpoCommand['reward_shape'], { config }: LoadedModel): void {
  if (shape === 'fraction' || usesCritic(config.reward_kind)) return;
  throw new UserError({
    code: 'bad_input',
    message: `reward_shape ${shape} needs a reward model of kind critic or hybrid; this one is of kind ${config.reward_kind ?? 'head'}`,
    hint: 'Use --reward_shape fraction, or train the reward model with --reward_kind critic.',
    field: 'reward_shape',
  });
}

/** The reward model must read the same tokens, and as many, as the generator writes. */
function mustShareText(base: LoadedModel, reward: LoadedModel): void {
  mustFit(base.tokenization, reward.tokenization);
  if (base.config.block_size === reward.config.block_size) return;
  throw new UserError({
    code: 'checkpoint',
    message: `The reward model reads ${reward.config.block_size} tokens, the base model writes ${base.config.block_size}`,
    hint: 'Train the reward model on this base model.',
    field: 'reward_model_path',
  });
}
