/** Figures and notices of base training. Pure. */
import { localized, type Message } from '../../../shared/messages/message.js';
import type { TrainConfig } from '../../../shared/config/train.js';
import { lossByText, type TrainResult } from '../../../shared/reports/report.js';
import { sampleOf } from '../statistics/held-out-change.js';
import type { Evaluation } from './perplexity.js';
import type { Row, StepResult } from './phase.js';
import { textLoss, type TextLength } from './text-loss.js';
import type { TrainState } from './train-types.js';

/** `text` measures the predicted tokens; null without a tokenizer. */
export type TrainStepResult = StepResult & { readonly learningRate: number; readonly text: TextLength | null };

/** @param tokens predicted in a step */
export function stepRow({ loss, gradNorm, learningRate, text }: TrainStepResult, tokens: number): Row {
  const { nats_per_character } = textLoss(loss * tokens, tokens, text);
  const byCharacter = nats_per_character === undefined ? {} : { nats_per_character };
  return { loss, ...byCharacter, grad_norm: gradNorm, learning_rate: learningRate };
}

export const evaluationRow = ({ loss, perplexity, ...others }: Omit<Evaluation, 'parts' | 'tokens'>): Row => ({
  val_loss: loss,
  val_perplexity: perplexity,
  ...lossByText(others, (name) => `val_${name}`),
});

/** Explains why training ended; null if the last step's model is stored. */
export function endNotice(
  { step, bestStep, finished }: TrainState,
  { min_delta, patience }: TrainConfig,
): Message | null {
  if (finished === 'patience') return localized('train.stopped_early', { step, min_delta, patience });
  return bestStep === step ? null : localized('train.all_steps', { step, bestStep });
}

/** @param heldOut of the stored weights; `heldOutTokens`: of the split */
export const trainResult = (
  state: TrainState,
  heldOut: Evaluation,
  tokensPerSecond: number,
  heldOutTokens: number,
): TrainResult => ({
  val_loss: heldOut.loss,
  perplexity: heldOut.perplexity,
  ...lossByText(heldOut),
  ...sampleOf(heldOut.parts, heldOutTokens),
  tokens_per_second: tokensPerSecond,
  iterations: state.step,
  best_iteration: state.bestStep,
  stopped_because: state.finished ?? 'max_iters',
  ...(state.planned === undefined ? {} : { planned_steps: state.planned }),
  ...(state.dropout === undefined ? {} : { dropout: state.dropout }),
});
