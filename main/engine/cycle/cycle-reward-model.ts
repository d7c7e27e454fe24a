/** The reward model of a cycle: the kind that was chosen, its critic kept ahead of the generator, and the other kinds beside it. */
import {
  isUninformative,
  lossByText,
  type CriticReport,
  type CycleReport,
  type RewardReport,
  type TrainResult,
} from '../../../shared/reports/report.js';
import { rewardKinds, usesCritic, type RewardKind } from '../../../shared/config/model.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { needsCritic } from '../../../shared/config/scoring-models.js';
import { artefactName, strongerVariant } from '../../../shared/phases/index.js';
import { during } from './cycle-phase.js';
import type { Environment } from '../types.js';
import type { Project, ProjectStore, RewardData, StoredModel } from './cycle-types.js';
import { perplexity } from '../train/perplexity.js';
import { criticName, strongerCriticName, trainScoringModel } from './scoring-models.js';
import { trainRewardModel, type LanguageModel } from '../reward/reward.js';

/**
 * reward_model_vn of the chosen kind, and what the others see where that was asked for.
 * @param last the report of the cycle before, whose generator this is
 */
export async function rewardModelOf(
  project: Project,
  last: CycleReport,
  generator: StoredModel,
  data: RewardData,
  seed: number,
) {
  const { config, store, env } = project;
  const cycle = last.cycle + 1;
  const nameOf = (variant?: string) => artefactName('reward_model', cycle, variant);
  const name = nameOf();
  const train = (kind: RewardKind, critic: LanguageModel | null, variant?: string) =>
    during(project, 'reward_model', cycle, nameOf(kind === config.reward_kind ? undefined : kind), (inside) =>
      trainRewardModel({
        ...generator,
        ...(critic && usesCritic(kind) ? { critic } : {}),
        temperature: config.temperature,
        trainSamples: data.train,
        valSamples: data.val,
        config: { ...config, reward_kind: kind },
        seed,
        slot: store.slot(nameOf(variant)),
        env: variant === undefined ? inside : beside(inside, variant),
      }),
    );

  let critic = needsCritic(config) ? await criticFor(project, cycle, generator) : null;
  let rewardModel = await train(config.reward_kind, critic);
  const strengthenings = usesCritic(config.reward_kind) ? config.critic_strengthen : 0;
  for (let time = 1; critic && isUninformative(rewardModel.report) && time <= strengthenings; time++) {
    const message = `The generator has caught up with ${critic.name}: it is trained on.`;
    env.emit({ event: 'notice', level: 'info', code: 'critic_strengthened', message });
    critic = await strengthened(project, cycle, critic, time);
    rewardModel = await train(config.reward_kind, critic, strongerVariant(time));
  }
  await store.savePredictions?.(cycle, rewardModel.predictions);
  await store.saveModel(name, rewardModel, { ...rewardModel.report });

  const reports: Partial<Record<RewardKind, RewardReport>> = { [config.reward_kind]: rewardModel.report };
  if (config.reward_compare) {
    for (const kind of rewardKinds) {
      reports[kind] ??= (await train(kind, critic, kind)).report;
    }
  }
  return { rewardModel, reports, critic: critic && (await criticReport(project, last, generator, critic)) };
}

/** What it measures is told as the variant's: several train in one phase, and each begins at step 0. */
const beside = (env: Environment, variant: string): Environment => ({
  ...env,
  emit: (event) => env.emit(event.event === 'metrics' ? { ...event, variant } : event),
});

/** With what came of its training, where that was just now. */
type NamedModel = StoredModel & { readonly name: string; readonly result?: TrainResult };

/** The strongest critic that the project had before this cycle; the first is trained when it is first needed. */
async function criticFor(project: Project, cycle: number, generator: StoredModel): Promise<NamedModel> {
  const { config, store, tokens } = project;
  // Not one that this cycle strengthened before it was stopped: it begins again as it began, to end in the same bytes.
  const own = await named(store, criticName(cycle));
  if (own) return own;
  for (let earlier = cycle - 1; earlier >= 1; earlier--) {
    let times = 0;
    while (await store.hasModel(strongerCriticName(earlier, times + 1))) times++;
    const newest = await named(store, times > 0 ? strongerCriticName(earlier, times) : criticName(earlier));
    if (newest) return newest;
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

/** A critic trained on from where it is, kept under this cycle's number for this cycle and those that follow. */
async function strengthened(project: Project, cycle: number, critic: NamedModel, time: number): Promise<NamedModel> {
  const { config, store, tokens } = project;
  const name = strongerCriticName(cycle, time);
  const there = await named(store, name);
  if (there) return there;
  const stronger = { than: critic, version: cycle * 128 + time };
  const made = await during(project, 'critic', cycle, name, (inside) =>
    trainScoringModel('critic', {
      config,
      generator: critic.model,
      tokens,
      vocabulary: tokens,
      stronger,
      slot: store.slot(name),
      env: beside(inside, strongerVariant(time)),
    }),
  );
  await store.saveModel(name, made, { ...made.result });
  return { ...made, name };
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
