/** The figures and sentences of base training. Pure. */
import type { TrainConfig } from '../../../shared/config/train.js';
import { lossByText, type TrainResult } from '../../../shared/reports/report.js';
import type { Evaluation } from './perplexity.js';
import type { Row, Taken } from './phase.js';
import { textLoss, type TextLength } from './text-loss.js';
import type { TrainState } from './train-types.js';

/** `text` is what was predicted; null if no tokenizer is known. */
export type StepTaken = Taken & { readonly learningRate: number; readonly text: TextLength | null };

/** @param tokens that a step predicts */
export function stepRow({ loss, gradNorm, learningRate, text }: StepTaken, tokens: number): Row {
  const { nats_per_character } = textLoss(loss * tokens, tokens, text);
  const byCharacter = nats_per_character === undefined ? {} : { nats_per_character };
  return { loss, ...byCharacter, grad_norm: gradNorm, learning_rate: learningRate };
}

export function evaluationRow({ loss, perplexity, ...others }: Omit<Evaluation, 'parts'>): Row {
  return { val_loss: loss, val_perplexity: perplexity, ...lossByText(others, (name) => `val_${name}`) };
}

/** Why training ended; null after the last step if that one's model is stored. */
export function endNotice(
  { step, bestStep, finished }: TrainState,
  { min_delta, patience }: TrainConfig,
): string | null {
  if (finished === 'patience')
    return `Stopped early at step ${step}: the held-out loss has not improved by ${min_delta} in ${patience} evaluations.`;
  if (bestStep === step) return null;
  return `Took all of its ${step} steps; the model of step ${bestStep}, which had the lowest held-out loss, is kept.`;
}

/** @param heldOut of the stored weights, on the whole split */
export const trainResult = (state: TrainState, heldOut: Evaluation, tokensPerSecond: number): TrainResult => ({
  val_loss: heldOut.loss,
  perplexity: heldOut.perplexity,
  ...lossByText(heldOut),
  tokens_per_second: tokensPerSecond,
  iterations: state.step,
  best_iteration: state.bestStep,
  stopped_because: state.finished ?? 'max_iters',
  ...(state.planned === undefined ? {} : { planned_steps: state.planned }),
  ...(state.dropout === undefined ? {} : { dropout: state.dropout }),
});
