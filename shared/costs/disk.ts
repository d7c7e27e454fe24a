/** How many bytes a project writes. */
import { parameterCount, trainedCount } from '../architectures/index.js';
import type { GPTConfig } from '../config/model.js';
import { scoringModelOf, scoringModelsTrained, type ScoringModel } from '../config/scoring-models.js';
import { rewardNetworkOf, rewardSamples, type Plan } from './phases.js';

const FLOAT = 4;
/** Of every trained weight in a checkpoint: itself, two moments, and the best one so far. The one before is kept too. */
const COPIES_SAVED = 2 * 4;

/** Two bytes a token. */
export const tokensOnDisk = ({ tokens }: Pick<Plan, 'tokens'>): number => 2 * (tokens.train + tokens.val);

/** A passage with its two targets. */
export const rewardSampleBytes = (blockSize: number): number => 2 * blockSize + 2 * FLOAT;

/** One cycle's passages. */
export function rewardDataOnDisk({ config, model, tokens }: Plan): number {
  const { train, val } = rewardSamples(config, tokens);
  return (train + val) * rewardSampleBytes(model.block_size);
}

export const modelOnDisk = (model: GPTConfig): number => FLOAT * parameterCount(model);
export const checkpointsOnDisk = (model: GPTConfig): number => COPIES_SAVED * FLOAT * trainedCount(model);

/** The whole project, with the checkpoints of the largest network that trains. */
export function projectOnDisk(plan: Plan): number {
  const { config, model } = plan;
  const { max_cycles: cycles } = config;
  const of = (kind: ScoringModel) => scoringModelOf(kind, config, model).model;
  const scoring = scoringModelsTrained(config).map(of);
  const reward = rewardNetworkOf(config.reward_kind, model, of('critic'), config.reward_pooling);
  const sum = (bytes: readonly number[]) => bytes.reduce((total, each) => total + each, 0);
  return (
    tokensOnDisk(plan) +
    cycles * (rewardDataOnDisk(plan) + modelOnDisk(model) + modelOnDisk(reward)) +
    sum([model, ...scoring].map(modelOnDisk)) +
    Math.max(...[model, ...scoring].map(checkpointsOnDisk))
  );
}
