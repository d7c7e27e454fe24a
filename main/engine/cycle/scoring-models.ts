/**
 * Scoring models: language models that never write, trained by the base trainer on the training split: the critic, which
 * rewards (reward-scorer.ts), and the judge, which is only ever asked (judgement.ts). Both are meant to know the language
 * better than the generator: trained for longer, wider, or with their weights averaged.
 */
import type { TrainResult } from '../../../shared/reports/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { scoringModelOf, type ScoringModel } from '../../../shared/config/scoring-models.js';
import { artefactName, strongerVariant, type PhaseName } from '../../../shared/phases/index.js';
import type { LanguageModel } from '../reward/reward.js';
import { trainBase } from '../train/train.js';
import type { Vocabulary } from '../tokenizer/types.js';
import type { CheckpointSlot, Environment, NamedArrays, TokenSource } from '../types.js';

/** critic_model_v1, made in cycle 1. */
export const criticName = (cycle: number): string => artefactName('critic_model', cycle);
/** A critic that was trained on carries the number of the cycle that asked for it, and how often that one asked. */
export const strongerCriticName = (cycle: number, time: number): string =>
  artefactName('critic_model', cycle, strongerVariant(time));
export const judgeName = artefactName('judge_model', 0);

/** Noise of their own: first weights and batches that the generator has not seen in this order. */
const seedOffset: Readonly<Record<ScoringModel, number>> = { critic: 2 ** 44, judge: 2 ** 45 };

interface ScoringModelOptions {
  readonly config: ProjectConfig;
  readonly generator: GPTConfig;
  readonly tokens: { readonly train: TokenSource; readonly val: TokenSource };
  /** Of the text; left out: losses are by token alone. */
  readonly vocabulary?: Vocabulary;
  /** A model that can write: what this one begins from, where its network is the same. */
  readonly initial?: LanguageModel | null;
  /** Train this one on; it keeps its shape. Each time has a number of its own. */
  readonly stronger?: { readonly than: LanguageModel; readonly version: number };
  readonly slot: CheckpointSlot;
  readonly env: Environment;
}

export async function trainScoringModel(
  kind: ScoringModel,
  { config, generator, tokens, vocabulary, initial, stronger, slot, env }: ScoringModelOptions,
): Promise<LanguageModel & { readonly result: TrainResult }> {
  const { train, ...wanted } = scoringModelOf(kind, config, generator);
  const model = stronger?.than.model ?? wanted.model;
  const begin = stronger?.than ?? (initial?.model.n_embd === model.n_embd ? initial : null);
  const from: { from?: NamedArrays } = begin ? { from: begin.weights } : {};
  const { weights, result } = await trainBase({
    model,
    train,
    seed: config.seed + seedOffset[kind] + (stronger?.version ?? 0) * 2 ** 32,
    trainTokens: tokens.train,
    valTokens: tokens.val,
    ...(vocabulary ? { vocabulary } : {}),
    slot,
    ...from,
    ...(kind === 'critic' ? { average: config.critic_average } : {}),
    env: named(env, kind),
  });
  return { model, weights, result };
}

/** The base trainer's events under the scoring model's own name. */
function named(env: Environment, phase: PhaseName): Environment {
  return {
    ...env,
    emit(event) {
      const isTrainers = (event.event === 'metrics' || event.event === 'progress') && event.phase === 'base_training';
      env.emit(isTrainers ? { ...event, phase } : event);
    },
  };
}
