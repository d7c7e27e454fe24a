/**
 * Chooses dropout against memorising a small text (Srivastava et al. 2014): a network of the modern architecture that reads its text
 * more often drops out more (docs/method.md). Pure.
 */
import { localized } from '../messages/message.js';
import type { TrainConfig } from './train.js';
import type { GPTConfig } from './model.js';

/** A text that is read more often than this needs dropout, and more of it from twice as often on. */
const FEW_PASSES = 8;
const MANY_PASSES = 2 * FEW_PASSES;
const DROPOUT = { often: 0.1, veryOften: 0.2 } as const;

/** Counts how often training reads a text of so many tokens. */
export const passesThrough = (
  {
    max_iters,
    batch_size,
    gradient_accumulation_steps,
  }: Pick<TrainConfig, 'max_iters' | 'batch_size' | 'gradient_accumulation_steps'>,
  { block_size }: { readonly block_size: number },
  trainTokens: number,
): number => (max_iters * batch_size * gradient_accumulation_steps * block_size) / Math.max(1, trainTokens);

/** @param passes through the text, earlier training included */
export function suitedDropout(
  { architecture, dropout }: Pick<GPTConfig, 'architecture' | 'dropout'>,
  passes: number,
): number {
  if (architecture !== 'modern' || passes <= FEW_PASSES) return dropout;
  return Math.max(dropout, passes <= MANY_PASSES ? DROPOUT.often : DROPOUT.veryOften);
}

export const dropoutNotice = (dropout: number, passes: number) =>
  ({
    event: 'notice',
    level: 'info',
    code: 'dropout',
    message: localized('config.suited_dropout', { passes: Math.round(10 * passes) / 10, dropout }),
  }) as const;
