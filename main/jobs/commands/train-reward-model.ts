/** Trains a reward model on a reward dataset (specification 5.3). */
import type { RewardModelCommand } from '../../../shared/config/commands.js';
import { usesCritic } from '../../../shared/config/model.js';
import { UserError } from '../../../shared/errors.js';
import { count, localized } from '../../../shared/messages/message.js';
import { samplingRule, type SamplingRule } from '../../engine/model/sampling-rule.js';
import { verdictNotice } from '../../engine/reward/reward-report.js';
import type { Split } from '../../engine/reward/reward-data.js';
import { trainRewardModel } from '../../engine/reward/reward.js';
import { openRewardDataset, readRewardMetadata } from '../../storage/datasets/reward-dataset-files.js';
import { fetchNamedModel, modelInputs, openModel, type LoadedModel } from '../models.js';
import { closing, runPhaseCommand } from '../run/run-folder.js';
import { mustFit, tokenizerOf } from '../text.js';
import { environmentOf, type Job, type JobContext } from '../types.js';

export const trainRewardModelJob: Job<RewardModelCommand> = async (config, context) => {
  const { model_path, critic_path, reward_data, seed } = config;
  await fetchNamedModel(model_path, context);
  await fetchNamedModel(critic_path ?? null, context);
  const base = openModel(model_path, 'generator', { context });
  const critic = openCritic(config, base, context);
  const { tokenization } = base;
  const rule = await ruleOf(reward_data, tokenization);
  const expectedTokenization = { method: tokenization.method, vocabSize: tokenization.vocab_size };
  const inputs = [
    ...modelInputs(model_path, 'generator'),
    ...(critic_path === undefined ? [] : modelInputs(critic_path, 'generator')),
    reward_data,
  ];
  const openSplit = (split: Split) => openRewardDataset(reward_data, split, { expectedTokenization });
  return closing(openSplit('train'), (train) =>
    closing(openSplit('val'), (val) => {
      checkBlockSize(train.blockSize, base.config.block_size);
      return runPhaseCommand(
        { command: 'train_reward_model', phase: 'reward_model', config, inputs },
        context,
        async (run) => {
          run.begin(localized('run.training_reward', { samples: count(train.numSamples) }));
          const { model, weights, report } = await trainRewardModel({
            model: { ...base.config, reward_head_hidden_dim: config.reward_head_hidden_dim },
            weights: base.weights,
            ...(critic ? { critic: { model: critic.config, weights: critic.weights } } : {}),
            rule,
            trainSamples: train,
            valSamples: val,
            config,
            seed,
            slot: run.slot,
            env: await environmentOf(run.context),
          });
          context.emit(verdictNotice(report));
          return { model, weights, tokenization, result: report, from: { base: model_path } };
        },
      );
    }),
  );
};

/** Returns the rule by which a dataset was drawn, as its metadata record it. */
async function ruleOf(dir: string, tokenization: LoadedModel['tokenization']): Promise<SamplingRule> {
  const { provenance = {} } = readRewardMetadata(dir, 'train');
  const [temperature, topK] = [Number(provenance['temperature'] ?? 1), Number(provenance['top_k'])];
  const { special } = tokenization.method === 'char' ? { special: [] } : await tokenizerOf(tokenization);
  return samplingRule({
    generation: { temperature: temperature > 0 ? temperature : 1, top_k: topK >= 1 ? topK : null },
    vocabLimit: tokenization.vocab_size,
    excluded: special,
  });
}

/** The stronger model that a critic compares the generator with; null for a head. */
function openCritic(
  { reward_kind, critic_path }: RewardModelCommand,
  base: LoadedModel,
  context: JobContext,
): LoadedModel | null {
  if (!usesCritic(reward_kind)) return null;
  if (critic_path === undefined) {
    throw new UserError({
      code: 'bad_input',
      message: localized('reward.no_critic', { reward_kind }),
      hint: localized('reward.give_critic'),
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
    message: localized('reward.context_mismatch', { samples, model }),
    hint: localized('reward.use_datasets_model'),
    field: 'reward_data',
  });
}
