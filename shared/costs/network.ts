/**
 * Counts floating-point operations per token from an architecture's parameters, as PaLM (Chowdhery et al. 2022, appendix B)
 * and nanoGPT's `estimate_mfu` do: two per weight forward, four backward, and attention over the whole context.
 */
import { declarationOf, elements, isFrozen, rewardHeadShapes } from '../architectures/index.js';
import type { GPTConfig } from '../config/model.js';

/** Parameters of the trunk that every token is multiplied with; embeddings are looked up instead. */
function multiplied(model: GPTConfig): readonly (readonly [name: string, shape: readonly number[]])[] {
  const declaration = declarationOf(model);
  return Object.entries(declaration.parameterShapes(model)).filter(([name]) => !declaration.isLookup(model, name));
}

const sizeOf = (parameters: ReturnType<typeof multiplied>): number =>
  parameters.reduce((sum, [, shape]) => sum + elements(shape), 0);

/** A tied embedding counts once, as the head. */
export const multipliedWeights = (model: GPTConfig): number => sizeOf(multiplied(model));

/** Forward operations for one token that attends to `context` tokens: 2 N + 4 L H D context. */
export function forwardFlops(model: GPTConfig, context: number): number {
  const { queries, size } = declarationOf(model).heads(model);
  return 2 * multipliedWeights(model) + 4 * model.n_layer * queries * size * context;
}

/** Forward and backward for one token of a whole block: 6 N + 12 L H D T; frozen weights have no gradient. */
export function trainingFlops(model: GPTConfig): number {
  const frozen = sizeOf(multiplied(model).filter(([name]) => isFrozen(model, name)));
  return 3 * forwardFlops(model, model.block_size) - 2 * frozen;
}

/** Writing `passages` of a whole block with a cache: each position over the positions before it. */
export const writingFlops = (model: GPTConfig, passages: number): number =>
  passages * (model.block_size - 1) * forwardFlops(model, model.block_size / 2);

/** Forward operations of a reward head on one hidden state. */
export const headFlops = (model: GPTConfig): number =>
  Object.values(rewardHeadShapes(model)).reduce((sum, shape) => sum + 2 * elements(shape), 0);

/** Numbers in the keys and values of one token, all layers together. */
export function cachedNumbers(model: GPTConfig): number {
  const { keysValues, size } = declarationOf(model).heads(model);
  return 2 * model.n_layer * keysValues * size;
}

/** Numbers that the matrices of all blocks produce for one token: 9 C in a block of GPT-2. */
export function producedNumbers(model: GPTConfig): number {
  const isBlocks = (name: string) => (declarationOf(model).blockOf(model, name) ?? model.n_layer) < model.n_layer;
  return multiplied(model).reduce(
    (sum, [name, [out = 0, ...rest]]) => (rest.length === 1 && isBlocks(name) ? sum + out : sum),
    0,
  );
}
