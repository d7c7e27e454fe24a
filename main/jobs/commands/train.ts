/** Base training as a job: text in, model out; the same command resumes where it stopped. */
import { initialModelPath, withoutScratch, withoutUsualArchitecture } from '../../../shared/config/init.js';
import { withoutFull } from '../../../shared/config/tune.js';
import { withoutCluster, type ClusterConfig } from '../../../shared/config/cluster.js';
import type { TrainCommand } from '../../../shared/config/commands.js';
import { generatorOf, heldOutWindow, type GPTConfig } from '../../../shared/config/model.js';
import { SAMPLES_WRITTEN } from '../../../shared/config/train.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { trainingBatch } from '../../../shared/costs/memory.js';
import { createSampler } from '../../engine/generate/samples.js';
import { trainBase } from '../../engine/train/train.js';
import { inTeam, mustBeSame } from '../cluster/in-team.js';
import { compareWeights } from '../cluster/same-weights.js';
import { fetchNamedModel } from '../hub-models.js';
import { initialModelInputs, openInitialModel } from '../initial-model.js';
import { mustFitInMemory } from '../machine/memory.js';
import { hashTokens } from '../run/reward-data-settings.js';
import { closing, runPhaseCommand } from '../run/phase-command.js';
import { asBegun } from '../run/run-record.js';
import { openTrainingText, textInputs } from '../text.js';
import { trainingEnvironmentOf } from '../run/training-environment.js';
import type { Job } from '../types.js';

export const trainJob: Job<TrainCommand> = (settings, context) =>
  inTeam(
    { settings, context },
    () => trained(withoutCluster(settings), context),
    (inside, folder) =>
      trained({ ...withoutCluster(settings), ...(folder === null ? {} : { out_dir: folder }) }, inside),
  );

const trained: Job<Omit<TrainCommand, keyof ClusterConfig>> = async (given, context) => {
  const config = withoutUsualArchitecture(withoutFull(withoutScratch(asBegun('train', given))));
  await fetchNamedModel(initialModelPath(config), context);
  const inputs = [...textInputs(config), ...initialModelInputs(config)];
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
      run.begin(`Training a model of ${parameters.toLocaleString('en-US')} weights`);
      const { train: trainTokens, val: valTokens, tokenization } = text;
      const { seed } = config;
      const { slot } = run;
      const begin = initial ? { from: initial.weights } : {};
      const { weights, result } = await trainBase({
        model,
        train: config,
        seed,
        trainTokens,
        valTokens,
        vocabulary: text.tokenizer,
        createSampler,
        slot,
        env,
        ...begin,
      });
      if (context.team) await compareWeights(context.team, 'trained weights', weights, context.emit);
      const from = { text_sha256, ...(config.init_from === undefined ? {} : { init_from: config.init_from }) };
      return { model, weights, tokenization, result, from, more: { parameters, ...windowOf(model) } };
    });
  });
};

/** How much of held-out text it saw at once, where that is more than it trains on. */
function windowOf(model: GPTConfig): { readonly window?: number } {
  const window = heldOutWindow(model);
  return window > model.block_size ? { window } : {};
}
