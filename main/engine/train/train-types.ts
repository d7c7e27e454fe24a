/** What base training takes, remembers and returns. */
import type { GPTConfig } from '../../../shared/config/model.js';
import type { TrainConfig } from '../../../shared/config/train.js';
import type { HeldOutParts, TrainResult } from '../../../shared/reports/report.js';
import type { Parameters } from '../model/model.js';
import type { Session } from '../runtime/types.js';
import type { Vocabulary } from '../tokenizer/types.js';
import type { CheckpointSlot, Environment, NamedArrays, TokenSource } from '../types.js';
import type { EarlyStoppingState } from './early-stopping.js';

export interface TrainOptions {
  readonly model: GPTConfig;
  readonly train: TrainConfig;
  readonly seed: number;
  readonly trainTokens: TokenSource;
  readonly valTokens: TokenSource;
  /** Of the text; left out: losses are by token alone, and no samples are written. */
  readonly vocabulary?: Vocabulary;
  /** Lets the model write at its evaluations; left out: it does not. Its room comes after this one. */
  readonly createSampler?: CreateSampler;
  readonly slot: CheckpointSlot;
  /** Begin from these instead of fresh weights (fine-tuning). */
  readonly from?: NamedArrays;
  /** Evaluate and store a running average of the weights, of which this share stays at each step; 0 or none: the weights. */
  readonly average?: number;
  /** Keep the network's own dropout even if the text is read often. */
  readonly isDropoutFixed?: boolean;
  readonly env: Environment;
}

export interface Sampler {
  /** Whether samples are due after so many steps. @param last no step comes after it */
  due(step: number, last: boolean): boolean;
  /**
   * Writes samples and emits them.
   * @returns the share of known words; null if there are no words
   * @throws UserError `stopped` if the user asked to stop, with nothing emitted
   */
  write(step: number): Promise<number | null>;
}

type CreateSampler = (
  session: Session,
  options: Omit<TrainOptions, 'vocabulary'> & { readonly vocabulary: Vocabulary },
  parameters: Parameters,
  env: Environment,
) => Sampler;

/** A type, not an interface, so that it is JSON for the checkpoint. */
export type TrainState = {
  readonly step: number;
  readonly evaluatedAt: number;
  readonly bestStep: number;
  readonly stopping: EarlyStoppingState;
  readonly finished: TrainResult['stopped_because'] | null;
  /** Steps that `train_minutes` came to; absent if steps were set. */
  readonly planned?: number;
  /** The dropout, if it is not the network's own. */
  readonly dropout?: number;
};

export type TrainOutcome = {
  readonly weights: NamedArrays;
  readonly result: TrainResult;
  /** The held-out loss of these weights by parts of the text. */
  readonly parts: HeldOutParts;
};
