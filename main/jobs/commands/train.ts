/** Trains a base model on a text; the same command resumes where it stopped. */
import { initialModelPath, withoutScratch, withoutUsualArchitecture } from '../../../shared/config/init.js';
import { withoutFull } from '../../../shared/config/tune.js';
import { withoutCluster, type ClusterConfig } from '../../../shared/config/cluster.js';
import type { TrainCommand } from '../../../shared/config/commands.js';
import { generatorOf, heldOutWindow, type GPTConfig } from '../../../shared/config/model.js';
import { SAMPLES_WRITTEN } from '../../../shared/config/train.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { trainingBatch } from '../../../shared/costs/memory.js';
import { count, localized } from '../../../shared/messages/message.js';
import { createSampler } from '../../engine/generate/samples.js';
import { trainBase } from '../../engine/train/train.js';
import { compareWeights, inTeam, mustBeSame } from '../cluster/in-team.js';
import { openInitialModel } from '../initial-models.js';
import { trainingEnvironmentOf } from '../machine/matrix-product.js';
import { mustFitInMemory } from '../machine/memory.js';
import { fetchNamedModel, modelInputs } from '../models.js';
import { hashTokens } from '../run/reward-data-settings.js';
import { closing, runPhaseCommand } from '../run/run-folder.js';
import { asStarted } from '../run/run-record.js';
import { openTrainingText, textInputs } from '../text.js';
import { workedTime, type Job } from '../types.js';

export const trainJob: Job<TrainCommand> = (settings, context) =>
  inTeam(
    { settings, context },
    () => trained(withoutCluster(settings), context),
    (inside, folder) =>
      trained({ ...withoutCluster(settings), ...(folder === null ? {} : { out_dir: folder }) }, inside),
  );

const trained: Job<Omit<TrainCommand, keyof ClusterConfig>> = async (given, context) => {
  const began = workedTime(context);
  const config = withoutUsualArchitecture(withoutFull(withoutScratch(asStarted('train', given))));
  const initialPath = initialModelPath(config);
  await fetchNamedModel(initialPath, context);
  const inputs = [...textInputs(config), ...(initialPath === null ? [] : modelInputs(initialPath, 'generator'))];
  return runPhaseCommand({ command: 'train', phase: 'base_training', config, inputs }, context, async (run) => {
    const initial = await openInitialModel(config, run.context);
    const options = { blockSize: config.block_size, as: initial?.tokenization };
    const opened = await openTrainingText(config, run.dataFolder, run.context, options);
    return closing(opened, async (text) => {
      const model = initial?.model ?? generatorOf(config, text.tokenizer.vocabSize);
      const parameters = parameterCount(model);
      const env = await trainingEnvironmentOf(run.context, config.threads);
      mustFitInMemory(trainingBatch(model, { ...config, samples: SAMPLES_WRITTEN }, env.team), env.runtime);
      const text_sha256 = hashTokens([text.train, text.val]);
      if (context.team) await mustBeSame(context.team, { text: text_sha256 });
      run.begin(localized('run.training', { weights: count(parameters) }));
      const { weights, result } = await trainBase({
        model,
        train: config,
        seed: config.seed,
        trainTokens: text.train,
        valTokens: text.val,
        vocabulary: text.tokenizer,
        createSampler,
        slot: run.slot,
        began,
        env,
        ...(initial ? { from: initial.weights } : {}),
      });
      if (context.team) await compareWeights(context.team, null, weights, context.emit);
      const from = { text_sha256, ...(config.init_from === undefined ? {} : { init_from: config.init_from }) };
      return {
        model,
        weights,
        tokenization: text.tokenization,
        result,
        from,
        more: { parameters, ...windowOf(model) },
      };
    });
  });
};

/** The window of held-out text, if it is longer than the training context. */
function windowOf(model: GPTConfig): { readonly window?: number } {
  const window = heldOutWindow(model);
  return window > model.block_size ? { window } : {};
}
