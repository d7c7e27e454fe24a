/** Estimates how many bytes a project writes. */
import { parameterCount, trainedCount } from '../architectures/index.js';
import type { GPTConfig } from '../config/model.js';
import { scoringModelOf, scoringModelsTrained } from '../config/scoring-models.js';
import { rewardNetworkOf, rewardSamples, type Plan } from './phases.js';

const FLOAT = 4;
/** A checkpoint has weights, two moments and the best weights so far; the previous checkpoint is stored too. */
const COPIES_SAVED = 2 * 4;

/** Two bytes a token. */
export const tokensOnDisk = ({ tokens }: Pick<Plan, 'tokens'>): number => 2 * (tokens.train + tokens.val);

/** A passage with its two targets. */
export const rewardSampleBytes = (blockSize: number): number => 2 * blockSize + 2 * FLOAT;

/** Passages of one cycle. */
export function rewardDataOnDisk({ config, model, tokens }: Plan): number {
  const { train, val } = rewardSamples(config, tokens);
  return (train + val) * rewardSampleBytes(model.block_size);
}

export const modelOnDisk = (model: GPTConfig): number => FLOAT * parameterCount(model);
export const checkpointsOnDisk = (model: GPTConfig): number => COPIES_SAVED * FLOAT * trainedCount(model);

/** Counts a whole project, with the checkpoints of the largest network that trains. */
export function projectOnDisk(plan: Plan): number {
  const { config, model } = plan;
  const networks = [model, ...scoringModelsTrained(config).map((kind) => scoringModelOf(kind, config, model).model)];
  const ofCycle = rewardDataOnDisk(plan) + modelOnDisk(model) + modelOnDisk(rewardNetworkOf(plan));
  return (
    tokensOnDisk(plan) +
    config.max_cycles * ofCycle +
    networks.reduce((sum, network) => sum + modelOnDisk(network), 0) +
    Math.max(...networks.map(checkpointsOnDisk))
  );
}
