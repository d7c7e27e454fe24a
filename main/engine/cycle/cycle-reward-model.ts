/** The reward model of a cycle, and its critic. */
import { lossByText, type CriticReport, type CycleReport, type TrainResult } from '../../../shared/reports/report.js';
import { usesCritic } from '../../../shared/config/model.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { artefactName } from '../../../shared/phases/index.js';
import { during } from './cycle-phase.js';
import type { Project, ProjectStore, RewardData, StoredModel } from './cycle-types.js';
import { perplexity } from '../train/perplexity.js';
import { criticName, trainScoringModel } from './scoring-models.js';
import { trainRewardModel, type LanguageModel } from '../reward/reward.js';

/**
 * Trains reward_model_vn, and the critic before it if the project has none yet.
 * @param last the report of the previous cycle, whose generator this is
 */
export async function rewardModelOf(
  project: Project,
  last: CycleReport,
  generator: StoredModel,
  data: RewardData,
  seed: number,
) {
  const { config, store } = project;
  const cycle = last.cycle + 1;
  const name = artefactName('reward_model', cycle);
  const critic = usesCritic(config.reward_kind) ? await criticFor(project, cycle, generator) : null;
  const rewardModel = await during(project, 'reward_model', cycle, name, (env) =>
    trainRewardModel({
      ...generator,
      ...(critic ? { critic } : {}),
      temperature: config.temperature,
      trainSamples: data.train,
      valSamples: data.val,
      config,
      seed,
      slot: store.slot(name),
      env,
    }),
  );
  await store.savePredictions?.(cycle, rewardModel.predictions);
  await store.saveModel(name, rewardModel, { ...rewardModel.report });
  const reports = { [config.reward_kind]: rewardModel.report };
  return { rewardModel, reports, critic: critic && (await criticReport(project, last, generator, critic)) };
}

/** With what came of its training, where that was just now. */
type NamedModel = StoredModel & { readonly name: string; readonly result?: TrainResult };

/** The project's critic: the one of an earlier cycle, or else trained now. */
async function criticFor(project: Project, cycle: number, generator: StoredModel): Promise<NamedModel> {
  const { config, store, tokens } = project;
  for (let earlier = cycle; earlier >= 1; earlier--) {
    const stored = await named(store, criticName(earlier));
    if (stored) return stored;
  }
  const name = criticName(cycle);
  // From a model that can write, the generator has come a part of the way that the critic goes on.
  const initial = (await store.initialCritic?.()) ?? (initialModelPath(config) === null ? null : generator);
  const made = await during(project, 'critic', cycle, name, (inside) =>
    trainScoringModel('critic', {
      config,
      generator: generator.model,
      tokens,
      vocabulary: tokens,
      slot: store.slot(name),
      env: inside,
      initial,
    }),
  );
  await store.saveModel(name, made, { ...made.result });
  return { ...made, name };
}

async function named(store: ProjectStore, name: string): Promise<NamedModel | null> {
  const there = await store.loadModel(name);
  return there && { ...there, name };
}

/** The whole held-out text is read only by what has not read it yet. */
async function criticReport(
  { tokens, env }: Project,
  last: CycleReport,
  generator: StoredModel,
  critic: NamedModel,
): Promise<CriticReport> {
  const measured = async (model: LanguageModel) => {
    const { loss, ...inText } = await perplexity({
      ...model,
      tokens: tokens.val,
      vocabulary: tokens,
      phase: 'evaluation',
      env,
    });
    return { val_loss: loss, ...lossByText(inText) };
  };
  const known = critic.result ?? (last.critic?.name === critic.name ? last.critic : null);
  const found = known ? { val_loss: known.val_loss, ...lossByText(known) } : await measured(critic);
  const generatorLoss = last.val_loss ?? (await measured(generator)).val_loss;
  return { name: critic.name, ...found, lead_nats: generatorLoss - found.val_loss };
}
