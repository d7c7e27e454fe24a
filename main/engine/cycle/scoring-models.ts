/**
 * The models that score: a cycle's reward model, its critic, and the judge. Critic and judge are language models that never write,
 * trained by the base trainer on the training split: the critic rewards (reward-scorer.ts), the judge only evaluates (judgement.ts).
 * Both know the language better than the generator: they train for longer, or are wider.
 */
import { lossByText, type CriticReport, type CycleReport, type TrainResult } from '../../../shared/reports/report.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { usesCritic, type GPTConfig } from '../../../shared/config/model.js';
import { scoringModelOf, type ScoringModel } from '../../../shared/config/scoring-models.js';
import { comparedTokens } from '../../../shared/costs/held-out.js';
import { artefactName } from '../../../shared/phases/index.js';
import { trainRewardModel } from '../reward/reward.js';
import { perplexity } from '../train/perplexity.js';
import { trainBase } from '../train/train.js';
import type { Environment, LanguageModel } from '../types.js';
import { during } from './cycle-phase.js';
import type { Project, RewardData } from './cycle-types.js';
import { samplingRule } from '../model/sampling-rule.js';

const criticName = (cycle: number): string => artefactName('critic_model', cycle);
export const judgeName = artefactName('judge_model', 0);

/** Gives each its own initial weights and batches. */
const seedOffset: Readonly<Record<ScoringModel, number>> = { critic: 2 ** 44, judge: 2 ** 45 };

interface ScoringModelOptions {
  readonly generator: GPTConfig;
  /** A model to begin from, if its network is the same. */
  readonly initial: LanguageModel | null;
  readonly name: string;
  readonly env: Environment;
}

export async function trainScoringModel(
  kind: ScoringModel,
  { config, store, tokens }: Project,
  { generator, initial, name, env }: ScoringModelOptions,
): Promise<LanguageModel & { readonly result: TrainResult }> {
  const { train, model } = scoringModelOf(kind, config, generator);
  const { weights, result } = await trainBase({
    model,
    train,
    seed: config.seed + seedOffset[kind],
    trainTokens: tokens.train,
    valTokens: tokens.val,
    measuredTokens: comparedTokens([model, train], [generator, config]),
    vocabulary: tokens,
    slot: store.slot(name),
    ...(initial?.model.n_embd === model.n_embd ? { from: initial.weights } : {}),
    env: {
      ...env,
      // The base trainer's events get the scoring model's phase.
      emit(event) {
        const isTraining = (event.event === 'metrics' || event.event === 'progress') && event.phase === 'base_training';
        env.emit(isTraining ? { ...event, phase: kind } : event);
      },
    },
  });
  return { model, weights, result };
}

/**
 * Trains reward_model_vn, after a critic if the project needs one and has none.
 * @param last the report of the previous cycle, which made the generator
 */
export async function rewardModelOf(
  project: Project,
  last: CycleReport,
  generator: LanguageModel,
  data: RewardData,
  seed: number,
) {
  const { config, store, tokens } = project;
  const cycle = last.cycle + 1;
  const name = artefactName('reward_model', cycle);
  const critic = usesCritic(config.reward_kind) ? await criticFor(project, cycle, generator) : null;
  const rewardModel = await during(project, 'reward_model', cycle, name, (env) =>
    trainRewardModel({
      ...generator,
      ...(critic ? { critic } : {}),
      rule: samplingRule({ generation: config, vocabLimit: tokens.vocabSize, excluded: tokens.special }),
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

/** `result` if it was trained just now. */
type NamedModel = LanguageModel & { readonly name: string; readonly result?: TrainResult };

/** Loads the critic of an earlier cycle, or trains one. */
async function criticFor(project: Project, cycle: number, generator: LanguageModel): Promise<NamedModel> {
  const { config, store } = project;
  for (let earlier = cycle; earlier >= 1; earlier--) {
    const name = criticName(earlier);
    const stored = await store.loadModel(name);
    if (stored) return { ...stored, name };
  }
  const name = criticName(cycle);
  // A generator from a pretrained model has learned a part of what the critic learns.
  const initial = (await store.initialCritic?.()) ?? (initialModelPath(config) === null ? null : generator);
  const critic = await during(project, 'critic', cycle, name, (env) =>
    trainScoringModel('critic', project, { generator: generator.model, initial, name, env }),
  );
  await store.saveModel(name, critic, { ...critic.result });
  return { ...critic, name };
}

/** Reports the critic's held-out loss and its lead over the generator; known losses are not measured again. */
async function criticReport(
  { tokens, env }: Project,
  last: CycleReport,
  generator: LanguageModel,
  critic: NamedModel,
): Promise<CriticReport> {
  const measured = async (model: LanguageModel) => {
    const options = { ...model, tokens: tokens.val, vocabulary: tokens, phase: 'evaluation', env } as const;
    const { loss, ...byText } = await perplexity(options);
    return { val_loss: loss, ...lossByText(byText) };
  };
  const known = critic.result ?? (last.critic?.name === critic.name ? last.critic : null);
  const found = known ? { val_loss: known.val_loss, ...lossByText(known) } : await measured(critic);
  const generatorLoss = last.val_loss ?? (await measured(generator)).val_loss;
  return { name: critic.name, ...found, lead_nats: generatorLoss - found.val_loss };
}
