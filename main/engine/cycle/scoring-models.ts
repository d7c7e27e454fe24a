/**
 * Scoring models: language models that never write, trained by the base trainer on the training split. The critic rewards
 * (reward-scorer.ts); the judge only evaluates (judgement.ts). Both know the language better than the generator: they train for
 * longer, or are wider.
 */
import type { TrainResult } from '../../../shared/reports/report.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { scoringModelOf, type ScoringModel } from '../../../shared/config/scoring-models.js';
import { artefactName } from '../../../shared/phases/index.js';
import { trainBase } from '../train/train.js';
import type { Environment } from '../types.js';
import type { Project, StoredModel } from './cycle-types.js';

/** Returns critic_model_v1 for cycle 1. */
export const criticName = (cycle: number): string => artefactName('critic_model', cycle);
export const judgeName = artefactName('judge_model', 0);

/** Gives each its own initial weights and batches. */
const seedOffset: Readonly<Record<ScoringModel, number>> = { critic: 2 ** 44, judge: 2 ** 45 };

interface ScoringModelOptions {
  readonly generator: GPTConfig;
  /** A model to begin from, if its network is the same. */
  readonly initial: StoredModel | null;
  /** Names its checkpoint. */
  readonly name: string;
  readonly env: Environment;
}

export async function trainScoringModel(
  kind: ScoringModel,
  { config, store, tokens }: Project,
  { generator, initial, name, env }: ScoringModelOptions,
): Promise<StoredModel & { readonly result: TrainResult }> {
  const { train, model } = scoringModelOf(kind, config, generator);
  const { weights, result } = await trainBase({
    model,
    train,
    seed: config.seed + seedOffset[kind],
    trainTokens: tokens.train,
    valTokens: tokens.val,
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
