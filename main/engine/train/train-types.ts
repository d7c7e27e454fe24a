/** Options, state and outcome of base training. */
import type { ReadingConfig } from '../../../shared/config/generation.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { TrainConfig } from '../../../shared/config/train.js';
import type { BeforeTraining, CycleReport, HeldOutParts, TrainResult } from '../../../shared/reports/report.js';
import type { Parameters } from '../model/model.js';
import type { Session } from '../runtime/types.js';
import type { Vocabulary } from '../tokenizer/types.js';
import type { CheckpointSlot, Environment, NamedArrays, TokenSource } from '../types.js';
import type { Extension } from '../control.js';
import type { StoppableState } from './early-stopping.js';

export interface TrainOptions {
  readonly model: GPTConfig;
  readonly train: TrainConfig;
  readonly seed: number;
  readonly trainTokens: TokenSource;
  readonly valTokens: TokenSource;
  /** Without it losses are by token only, and no samples are written. */
  readonly vocabulary?: Vocabulary;
  /** Lets the model write at its evaluations (generate/samples.ts). */
  readonly createSampler?: CreateSampler;
  /** How samples are drawn. */
  readonly reading?: ReadingConfig;
  readonly slot: CheckpointSlot;
  /** When `train_minutes` began, by the environment's clock: now by default, earlier if the text was prepared within them. */
  readonly began?: number;
  /** Initial weights, for fine-tuning; random ones by default. */
  readonly from?: NamedArrays;
  /** Decay of the running average of the weights that is evaluated and stored; 0: the weights themselves. */
  readonly average?: number;
  /** Held-out tokens that are measured after the last step, if the loss is compared with another model's. */
  readonly measuredTokens?: number;
  /** Keeps the network's own dropout however often the text is read. */
  readonly isDropoutFixed?: boolean;
  readonly env: Environment;
}

export interface Sampler {
  /** Reports whether samples are due after so many steps. @param last no step follows: only the best weights write */
  due(step: number, last: boolean, isBest: boolean): boolean;
  /**
   * Writes samples, as long as a report's or as an evaluation affords, and emits them, first as they grow.
   * @returns them, the share of known words (null without words), and their seconds without compiling, at an evaluation and after the last step
   * @throws UserError `stopped`
   */
  write(
    step: number,
    isWhole: boolean,
  ): Promise<{
    readonly samples: CycleReport['samples'];
    readonly words: { readonly words_known: number | null };
    readonly seconds: Readonly<Record<'each' | 'last', number>>;
  }>;
  /** Returns a report's samples by the weights of that step, which are loaded: as written, or else without showing them. */
  wholeAt(step: number): Promise<CycleReport['samples']>;
}

type CreateSampler = (
  session: Session,
  options: Omit<TrainOptions, 'vocabulary'> & { readonly vocabulary: Vocabulary },
  parameters: Parameters,
  env: Environment,
) => Sampler;

export type TrainState = StoppableState & {
  readonly evaluatedAt: number;
  /** Steps that `train_minutes` was converted to, with those of `replanned`. */
  readonly planned?: number;
  /** Steps that were added since, or left out if negative: the machine was faster or slower than when they were planned. */
  readonly replanned?: readonly Extension[];
  /** Whether it went on after its planned end (planned-steps.ts). */
  readonly wentOn?: boolean;
  /** The dropout, if it is not the network's own. */
  readonly dropout?: number;
  /** The initial model, if it could write before. */
  readonly before?: BeforeTraining;
};

export type TrainOutcome = {
  readonly weights: NamedArrays;
  readonly result: TrainResult;
  /** The held-out loss of these weights by parts of the text. */
  readonly parts: HeldOutParts;
  /** By these weights, as a report has them, if samples are written. */
  readonly samples: CycleReport['samples'] | undefined;
  readonly wentOn: boolean;
  readonly before?: BeforeTraining;
};
