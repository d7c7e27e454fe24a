/**
 * How much a reward model knows, honestly: its errors on the validation samples beside what always answering the mean
 * would get, with bootstrap intervals, and in words when it cannot tell natural from generated.
 */
import {
  bootstrapInterval,
  calibrationTable,
  correlation,
  meanAbsoluteError,
  meanSquaredError,
  pick,
  r2,
  variance,
  type CalibrationBin,
  type Interval,
} from './statistics.js';

export interface RewardReport {
  readonly val_mse: number;
  readonly val_mae: number;
  /** Against always predicting the mean: 1 is perfect, 0 is no better than that. Null when all targets are equal. */
  readonly r2: number | null;
  readonly r2_interval: Interval | null;
  readonly correlation: number | null;
  /** MSE of always answering the mean of the validation targets. */
  readonly baseline_mse: number;
  readonly calibration: readonly CalibrationBin[];
  readonly samples: number;
  readonly iterations: number;
  readonly best_iteration: number;
  readonly stopped_because: 'max_iters' | 'patience';
}

const RESAMPLES = 1000;

/** @param predictions P(natural) @param truth the true natural fractions, K/N */
export function judgeRewardModel(
  predictions: Float32Array,
  truth: Float32Array,
  facts: {
    readonly seed: number;
    readonly iterations: number;
    readonly bestIteration: number;
    readonly stoppedBecause: 'max_iters' | 'patience';
  },
): RewardReport {
  const fit = (rows: ArrayLike<number>) => r2(pick(predictions, rows), pick(truth, rows));
  return {
    val_mse: meanSquaredError(predictions, truth),
    val_mae: meanAbsoluteError(predictions, truth),
    r2: r2(predictions, truth),
    r2_interval: bootstrapInterval(truth.length, fit, { seed: facts.seed, resamples: RESAMPLES }),
    correlation: correlation(predictions, truth),
    baseline_mse: (variance(truth) * (truth.length - 1)) / truth.length,
    calibration: calibrationTable(predictions, truth),
    samples: truth.length,
    iterations: facts.iterations,
    best_iteration: facts.bestIteration,
    stopped_because: facts.stoppedBecause,
  };
}

/** Whether chance alone could explain the fit: the interval of R² reaches 0 or below. */
export const isBlind = ({ r2_interval }: Pick<RewardReport, 'r2_interval'>): boolean =>
  r2_interval === null || r2_interval.low <= 0;

/** The report's first sentence, for people. */
export function rewardVerdict(report: RewardReport): string {
  const interval = report.r2_interval;
  const figure =
    report.r2 === null || interval === null
      ? 'R² is not defined here'
      : `R² ${report.r2.toFixed(3)}, 95 % interval ${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}`;
  return isBlind(report)
    ? `The reward model cannot tell natural from generated text here (${figure}). GRPO would follow noise; it goes on only because it was asked to.`
    : `The reward model can tell natural from generated text to some degree (${figure}; 0 is guessing, 1 is perfect).`;
}
