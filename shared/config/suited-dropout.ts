/**
 * What keeps a little text from being learned by heart: dropout (Srivastava et al. 2014), where training goes through the text
 * often. The figures are in docs/method.md. Pure.
 */
import type { TrainConfig } from './train.js';

/** What is dropped out of a text that is read often, and of one that is read several times as often. */
const DROPOUT = { often: 0.1, oftener: 0.2 } as const;
const OFTENER = 2;

/** How often so many steps go through a text of so many tokens. */
export const passesThrough = (
  {
    max_iters,
    batch_size,
    gradient_accumulation_steps,
  }: Pick<TrainConfig, 'max_iters' | 'batch_size' | 'gradient_accumulation_steps'>,
  { block_size }: { readonly block_size: number },
  trainTokens: number,
): number => (max_iters * batch_size * gradient_accumulation_steps * block_size) / Math.max(1, trainTokens);

/**
 * The dropout that training takes: the model's own, or what suits a text that is read more often than `dropout_passes`.
 * @param trainTokens of the text
 */
export function suitedDropout(
  train: TrainConfig,
  model: { readonly block_size: number; readonly dropout: number },
  trainTokens: number,
): number {
  const { dropout_passes: most } = train;
  const passes = passesThrough(train, model, trainTokens);
  if (most === null || passes <= most) return model.dropout;
  return Math.max(model.dropout, passes <= OFTENER * most ? DROPOUT.often : DROPOUT.oftener);
}

/**
 * The `dropout_passes` of so many steps more: dropout is to suit the passes before and those to come together, as if all had
 * been asked for at once.
 */
export const dropoutPassesOnward = (
  { dropout_passes, max_iters }: Pick<TrainConfig, 'dropout_passes' | 'max_iters'>,
  steps = max_iters,
): number | null => (dropout_passes === null ? null : (dropout_passes * steps) / (max_iters + steps));

export const dropoutNotice = (dropout: number, passes: number) =>
  ({
    event: 'notice',
    level: 'info',
    code: 'dropout',
    message: `Training goes through this text ${passes.toFixed(1)} times, so it uses a dropout of ${dropout} against learning it by heart.`,
  }) as const;
