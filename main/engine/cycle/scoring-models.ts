/**
 * Scoring models: language models that never write, trained by the base trainer on the training split: the critic, which
 * rewards (reward-scorer.ts), and the judge, which is only ever asked (judgement.ts). Both are meant to know the language
 * better than the generator: trained for longer, or wider.
 */
import type { TrainResult } from '../../../shared/reports/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { scoringModelOf, type ScoringModel } from '../../../shared/config/scoring-models.js';
import { artefactName, type PhaseName } from '../../../shared/phases/index.js';
import type { LanguageModel } from '../reward/reward.js';
import { trainBase } from '../train/train.js';
import type { Vocabulary } from '../tokenizer/types.js';
import type { CheckpointSlot, Environment, NamedArrays, TokenSource } from '../types.js';

/** critic_model_v1, made in cycle 1. */
export const criticName = (cycle: number): string => artefactName('critic_model', cycle);
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
  readonly slot: CheckpointSlot;
  readonly env: Environment;
}

export async function trainScoringModel(
  kind: ScoringModel,
  { config, generator, tokens, vocabulary, initial, slot, env }: ScoringModelOptions,
): Promise<LanguageModel & { readonly result: TrainResult }> {
  const { train, model } = scoringModelOf(kind, config, generator);
  const begin = initial?.model.n_embd === model.n_embd ? initial : null;
  const from: { from?: NamedArrays } = begin ? { from: begin.weights } : {};
  const { weights, result } = await trainBase({
    model,
    train,
    seed: config.seed + seedOffset[kind],
    trainTokens: tokens.train,
    valTokens: tokens.val,
    ...(vocabulary ? { vocabulary } : {}),
    slot,
    ...from,
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
