/** Judges a reward model: its errors on the validation samples with bootstrap intervals, compared with always predicting the mean. */
import { localized, type Message } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
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
  seed: number,
  facts: Pick<RewardReport, 'kind' | 'evidence_scale' | 'iterations' | 'best_iteration' | 'stopped_because'>,
): RewardReport {
  // Each interval has its own draws, by `step`.
  const interval = (statistic: (a: Float64Array, b: Float64Array) => number | null, step: number) =>
    bootstrapInterval(truth.length, (rows) => statistic(pick(predictions, rows), pick(truth, rows)), {
      seed,
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
    evidence_scale: facts.evidence_scale,
    baseline_mse: (variance(truth) * (truth.length - 1)) / truth.length,
    calibration: calibrationTable(predictions, truth),
    samples: truth.length,
    iterations: facts.iterations,
    best_iteration: facts.best_iteration,
    stopped_because: facts.stopped_because,
  };
}

/** Summarises the report in one sentence. */
export function rewardVerdict(report: RewardReport): Message {
  const { r2, r2_interval: interval } = report;
  const fit =
    r2 === null || interval === null ? localized('reward.fit.undefined') : localized('reward.fit', { r2, ...interval });
  const verdict = isUninformative(report) ? 'blind' : seesMost(report) ? 'good' : 'some';
  return localized('reward.verdict', { verdict, fit });
}

export function verdictNotice(report: RewardReport): JobEvent {
  const [level, code] = isUninformative(report)
    ? (['warning', 'reward_blind'] as const)
    : (['info', 'reward_sees'] as const);
  return { event: 'notice', level, code, message: rewardVerdict(report) };
}
