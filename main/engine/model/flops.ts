/**
 * How many floating-point operations the model needs, counted as PaLM (Chowdhery et al. 2022, appendix B) and nanoGPT's
 * `estimate_mfu` count them: two for each weight and token forward, four backward, and attention over the whole context.
 * What the cleverest program could leave out (the masked half of attention) is counted; what a program does twice is not.
 */
import type { GPTConfig } from '../../../shared/config/model.js';
import { parameterCount } from './model.js';

/** Weights that every token is multiplied with: all but the positions. The tied embedding counts once, as the head. */
export const multipliedWeights = (model: GPTConfig): number => parameterCount(model) - model.block_size * model.n_embd;

/** Forward operations for one token that attends to `context` tokens: 2 N + 4 L C context. */
export const forwardFlops = (model: GPTConfig, context: number): number =>
  2 * multipliedWeights(model) + 4 * model.n_layer * model.n_embd * context;

/** Forward and backward for one token: 6 N + 12 L C T. */
export const trainingFlops = (model: GPTConfig): number => 3 * forwardFlops(model, model.block_size);

/** Writing `passages` up to the block with a cache: each position once, over the positions before it. */
export const writingFlops = (model: GPTConfig, passages: number): number =>
  passages * (model.block_size - 1) * forwardFlops(model, model.block_size / 2);

/**
 * A step of GRPO: rollouts, then the reference and the reward model forward, then the policy forward and backward.
 * @param updates how often each batch is learned from
 */
export const grpoStepFlops = (model: GPTConfig, passages: number, updates = 1): number =>
  writingFlops(model, passages) +
  passages * model.block_size * (2 * forwardFlops(model, model.block_size) + updates * trainingFlops(model));
