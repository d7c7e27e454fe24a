/**
 * What one token costs in a network, counted from the parameters that its architecture declares, as PaLM (Chowdhery et al.
 * 2022, appendix B) and nanoGPT's `estimate_mfu` count: two floating-point operations for each weight and token forward,
 * four backward, and attention over the whole context. What the cleverest program could leave out (the masked half of
 * attention) is counted; what a program does twice is not.
 */
import { blockMatrices, declarationOf, elements, isFrozen, rewardHeadShapes } from '../architectures/index.js';
import type { GPTConfig } from '../config/model.js';
import type { TrainConfig } from '../config/train.js';

/** The trunk's parameters that every token is multiplied with, by name: all but those it only takes a row of. */
function multiplied(model: GPTConfig): readonly (readonly [name: string, shape: readonly number[]])[] {
  const declaration = declarationOf(model);
  return Object.entries(declaration.parameterShapes(model)).filter(([name]) => !declaration.isLookup(model, name));
}

/** Weights that every token is multiplied with. A tied embedding counts once, as the head. */
export const multipliedWeights = (model: GPTConfig): number =>
  multiplied(model).reduce((sum, [, shape]) => sum + elements(shape), 0);

/** Forward operations for one token that attends to `context` tokens: 2 N + 4 L H D context. */
export function forwardFlops(model: GPTConfig, context: number): number {
  const { queries, size } = declarationOf(model).heads(model);
  return 2 * multipliedWeights(model) + 4 * model.n_layer * queries * size * context;
}

/** Forward and backward for one token of a whole block: 6 N + 12 L H D T; frozen weights have no gradient of their own. */
export function trainingFlops(model: GPTConfig): number {
  const frozen = multiplied(model).reduce(
    (sum, [name, shape]) => sum + (isFrozen(model, name) ? elements(shape) : 0),
    0,
  );
  return 3 * forwardFlops(model, model.block_size) - 2 * frozen;
}

/**
 * Operations of an update besides its gradients: Muon's products (main/engine/train/muon.ts), three in each iteration for
 * each matrix. AdamW's few for each weight are not counted.
 */
export function updateFlops(
  model: GPTConfig,
  { optimizer, muon_iterations: iterations }: Pick<TrainConfig, 'optimizer' | 'muon_iterations'>,
): number {
  if (optimizer !== 'muon' || model.lora) return 0;
  const shapes = declarationOf(model).parameterShapes(model);
  return Object.entries(blockMatrices(model)).reduce((sum, [name, count]) => {
    const [out = 0, columns = 0] = shapes[name] ?? [];
    const [short = 0, long = 0] = [out / count, columns].sort((a, b) => a - b);
    return sum + count * iterations * (4 * short * short * long + 2 * short ** 3);
  }, 0);
}

/** Operations of base training for each of its tokens: updates too. */
export const trainedTokenFlops = (
  model: GPTConfig,
  train: Pick<TrainConfig, 'optimizer' | 'muon_iterations' | 'batch_size' | 'gradient_accumulation_steps'>,
): number =>
  trainingFlops(model) +
  updateFlops(model, train) / (train.batch_size * train.gradient_accumulation_steps * model.block_size);

/** Writing `passages` up to the block with a cache: each position once, over the positions before it. */
export const writingFlops = (model: GPTConfig, passages: number): number =>
  passages * (model.block_size - 1) * forwardFlops(model, model.block_size / 2);

/** Forward operations of a reward model's head on one hidden state. */
export const headFlops = (model: GPTConfig): number =>
  Object.values(rewardHeadShapes(model)).reduce((sum, shape) => sum + 2 * elements(shape), 0);

/** Numbers that a token's keys and values are, all layers together. */
export function cachedNumbers(model: GPTConfig): number {
  const { keysValues, size } = declarationOf(model).heads(model);
  return 2 * model.n_layer * keysValues * size;
}

/** Numbers that the matrices of all blocks make of one token: 9 C in a block of GPT-2. */
export function producedNumbers(model: GPTConfig): number {
  const isBlocks = (name: string) => (declarationOf(model).blockOf(model, name) ?? model.n_layer) < model.n_layer;
  return multiplied(model).reduce(
    (sum, [name, [out = 0, ...rest]]) => (rest.length === 1 && isBlocks(name) ? sum + out : sum),
    0,
  );
}
