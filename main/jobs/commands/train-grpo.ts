/** Improves a base model with GRPO, from a reward model and a text (specification 5.4). */
import type { GrpoCommand } from '../../../shared/config/commands.js';
import { usesCritic } from '../../../shared/config/model.js';
import { grpoBatch } from '../../../shared/costs/memory.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { trainGrpo } from '../../engine/grpo/grpo.js';
import { trainingEnvironmentOf } from '../machine/matrix-product.js';
import { mustFitInMemory } from '../machine/memory.js';
import { fetchNamedModel, modelInputs, openModel, type LoadedModel } from '../models.js';
import { closing, runPhaseCommand } from '../run/run-folder.js';
import { mustFit, openTextFor, textInputs } from '../text.js';
import type { Job } from '../types.js';

export const trainGrpoJob: Job<GrpoCommand> = async (config, context) => {
  const { model_path, reward_model_path, seed } = config;
  await fetchNamedModel(model_path, context);
  const base = openModel(model_path, 'generator', { context, data: config });
  const reward = openModel(reward_model_path, 'reward', { context, field: 'reward_model_path', data: config });
  const { tokenization } = base;
  mustShareText(base, reward);
  mustWeighTokens(config.reward_shape, reward);
  const inputs = [
    ...modelInputs(model_path, 'generator'),
    ...modelInputs(reward_model_path, 'reward'),
    ...textInputs(config),
  ];
  return runPhaseCommand({ command: 'train_grpo', phase: 'grpo', config, inputs }, context, async (run) =>
    closing(await openTextFor(tokenization, config, run.context), async (text) => {
      const env = await trainingEnvironmentOf(run.context, config.threads);
      mustFitInMemory(grpoBatch(base.config, reward.config, config), env.runtime);
      run.begin(localized('run.improving', { path: model_path }));
      const { weights, result } = await trainGrpo({
        model: base.config,
        policy: base.weights,
        rewardModel: reward.config,
        rewardWeights: reward.weights,
        trainTokens: text.train,
        valTokens: text.val,
        config,
        generation: config,
        tokenization: tokenization.method,
        vocabLimit: tokenization.vocab_size,
        excluded: text.tokenizer.special,
        vocabulary: text.tokenizer,
        seed,
        slot: run.slot,
        env,
      });
      // This model knows what the base model was trained on.
      const text_sha256 = base.provenance['text_sha256'] ?? null;
      const from = { base: model_path, reward_model: reward_model_path, text_sha256 };
      return { model: base.config, weights, tokenization, result, from };
    }),
  );
};

/** Only a critic's evidence is a log-ratio. */
function mustWeighTokens(shape: GrpoCommand['reward_shape'], { config }: LoadedModel): void {
  if (shape === 'fraction' || usesCritic(config.reward_kind)) return;
  throw new UserError({
    code: 'bad_input',
    message: localized('grpo.needs_critic', { shape, reward_kind: config.reward_kind ?? 'head' }),
    hint: localized('grpo.use_fraction'),
    field: 'reward_shape',
  });
}

/** The reward model must read the same tokens, and as many, as the generator writes. */
function mustShareText(base: LoadedModel, reward: LoadedModel): void {
  mustFit(base.tokenization, reward.tokenization);
  if (base.config.block_size === reward.config.block_size) return;
  throw new UserError({
    code: 'checkpoint',
    message: localized('grpo.context_mismatch', { reward: reward.config.block_size, base: base.config.block_size }),
    hint: localized('grpo.train_reward_on_base'),
    field: 'reward_model_path',
  });
}
