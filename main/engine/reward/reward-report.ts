/**
 * How much a reward model knows, honestly: its errors on the validation samples beside what always answering the mean
 * would get, with bootstrap intervals, and in words when it cannot tell natural from generated.
 */
import type { RewardKind } from '../../../shared/config/model.js';
import { isUninformative, seesMost, type RewardReport } from '../../../shared/reports/report.js';
import {
  bootstrapInterval,
  calibrationTable,
  correlation,
  meanAbsoluteError,
  meanSquaredError,
  pick,
  r2,
  variance,
} from '../statistics/statistics.js';

const RESAMPLES = 1000;

/** @param predictions P(natural) @param truth the true natural fractions, K/N */
export function judgeRewardModel(
  predictions: Float32Array,
  truth: Float32Array,
  facts: {
    readonly seed: number;
    readonly kind: RewardKind;
    readonly scale: number | null;
    readonly iterations: number;
    readonly bestIteration: number;
    readonly stoppedBecause: RewardReport['stopped_because'];
  },
): RewardReport {
  // Each interval draws for itself: `step` tells them apart.
  const interval = (statistic: (a: Float64Array, b: Float64Array) => number | null, step: number) =>
    bootstrapInterval(truth.length, (rows) => statistic(pick(predictions, rows), pick(truth, rows)), {
      seed: facts.seed,
      resamples: RESAMPLES,
      step,
    });
  return {
    kind: facts.kind,
    val_mse: meanSquaredError(predictions, truth),
    val_mse_interval: interval(meanSquaredError, 1),
    val_mae: meanAbsoluteError(predictions, truth),
    val_mae_interval: interval(meanAbsoluteError, 2),
    r2: r2(predictions, truth),
    r2_interval: interval(r2, 0),
    correlation: correlation(predictions, truth),
    correlation_interval: interval(correlation, 3),
    evidence_scale: facts.scale,
    baseline_mse: (variance(truth) * (truth.length - 1)) / truth.length,
    calibration: calibrationTable(predictions, truth),
    samples: truth.length,
    iterations: facts.iterations,
    best_iteration: facts.bestIteration,
    stopped_because: facts.stoppedBecause,
  };
}

/** The report's first sentence, for people. */
export function rewardVerdict(report: RewardReport): string {
  const interval = report.r2_interval;
  const figure =
    report.r2 === null || interval === null
      ? 'R² is not defined here'
      : `R² ${report.r2.toFixed(3)}, 95% interval ${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}`;
  return isUninformative(report)
    ? `The reward model cannot tell natural from generated text here (${figure}). GRPO would follow noise.`
    : `The reward model can tell natural from generated text ${seesMost(report) ? 'well' : 'to some degree'} (${figure}; 0 is guessing, 1 is perfect).`;
}
