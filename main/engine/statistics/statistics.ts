/** Statistics of reports: errors, fit, calibration, intervals. In float64 with compensated sums; the bootstrap is deterministic. */
import type { CalibrationBin, Interval } from '../../../shared/reports/report.js';
import { studentT975 } from '../../../shared/base/student-t.js';
import { streams, uniformInts } from '../rng.js';

export type Values = ArrayLike<number>;

/** Sum of term(0) … term(count - 1), compensated (Neumaier 1974). */
function sumOf(count: number, term: (index: number) => number): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < count; i++) {
    const value = term(i);
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  // With infinities `lost` is NaN.
  return Number.isFinite(sum) ? sum + lost : sum;
}

const at = (values: Values, index: number): number => values[index] ?? Number.NaN;

function sameLength({ length }: Values, targets: Values): number {
  if (length !== targets.length) throw new RangeError(`${length} predictions for ${targets.length} targets`);
  return length;
}

export function sum(values: Values): number {
  return sumOf(values.length, (i) => at(values, i));
}

/** Arithmetic mean; NaN of nothing. */
export function mean(values: Values): number {
  return sum(values) / values.length;
}

/** Sample variance (as torch.var), in two passes; NaN below two values. */
export function variance(values: Values): number {
  if (values.length < 2) return Number.NaN;
  const centre = mean(values);
  return sumOf(values.length, (i) => (at(values, i) - centre) ** 2) / (values.length - 1);
}

/** Sample standard deviation, as torch.std; NaN below two values. */
export function standardDeviation(values: Values): number {
  return Math.sqrt(variance(values));
}

/** Mean squared error; NaN of nothing. */
export function meanSquaredError(predictions: Values, targets: Values): number {
  const count = sameLength(predictions, targets);
  return sumOf(count, (i) => (at(predictions, i) - at(targets, i)) ** 2) / count;
}

/** Mean absolute error; NaN of nothing. */
export function meanAbsoluteError(predictions: Values, targets: Values): number {
  const count = sameLength(predictions, targets);
  return sumOf(count, (i) => Math.abs(at(predictions, i) - at(targets, i))) / count;
}

const isConstant = (values: Values): boolean => {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
  return true;
};

/** R²: the explained share of the targets' variance, below 0 if the mean predicts better; null without variance. */
export function r2(predictions: Values, targets: Values): number | null {
  const count = sameLength(predictions, targets);
  if (count === 0 || isConstant(targets)) return null;
  const centre = mean(targets);
  const unexplained = sumOf(count, (i) => (at(predictions, i) - at(targets, i)) ** 2);
  return 1 - unexplained / sumOf(count, (i) => (at(targets, i) - centre) ** 2);
}

/** Pearson's correlation; null if either side is constant. */
export function correlation(a: Values, b: Values): number | null {
  const count = sameLength(a, b);
  if (count === 0 || isConstant(a) || isConstant(b)) return null;
  const centreA = mean(a);
  const centreB = mean(b);
  const both = sumOf(count, (i) => (at(a, i) - centreA) * (at(b, i) - centreB));
  const spreadA = sumOf(count, (i) => (at(a, i) - centreA) ** 2);
  const spreadB = sumOf(count, (i) => (at(b, i) - centreB) ** 2);
  return Math.min(1, Math.max(-1, both / (Math.sqrt(spreadA) * Math.sqrt(spreadB))));
}

/** Compares predictions with outcomes in equal bins over [0, 1] (Guo et al. 2017); others count in the first or last bin. */
export function calibrationTable(predictions: Values, targets: Values, bins = 10): readonly CalibrationBin[] {
  const members: number[][] = Array.from({ length: bins }, () => []);
  const count = sameLength(predictions, targets);
  for (let i = 0; i < count; i++) {
    // A prediction of k / bins belongs to bin k, even if the product rounds down (0.29 * 100 = 28.999…).
    const prediction = at(predictions, i);
    let bin = Math.floor(prediction * bins);
    if ((bin + 1) / bins <= prediction) bin++;
    members[Math.min(bins - 1, Math.max(0, bin))]?.push(i);
  }
  return members.map((rows, bin) => ({
    low: bin / bins,
    high: (bin + 1) / bins,
    count: rows.length,
    meanPredicted: rows.length === 0 ? null : mean(pick(predictions, rows)),
    meanTrue: rows.length === 0 ? null : mean(pick(targets, rows)),
    trueInterval: meanInterval(pick(targets, rows)),
  }));
}

/** The values at `rows`, in that order. */
export function pick(values: Values, rows: ArrayLike<number>): Float64Array {
  // `Float64Array.from` takes ten times as long, and intervals pick millions.
  const picked = new Float64Array(rows.length);
  for (let i = 0; i < picked.length; i++) picked[i] = at(values, at(rows, i));
  return picked;
}

/** Quantile by linear interpolation (type 7). @param p in [0, 1] */
export function quantile(values: Values, p: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * p;
  const below = at(sorted, Math.floor(place));
  return below + (at(sorted, Math.ceil(place)) - below) * (place - Math.floor(place));
}

interface BootstrapOptions {
  readonly seed: number;
  /** 1000 suffice for two digits. */
  readonly resamples?: number;
  /** Distinguishes bootstraps of one seed. */
  readonly step?: number;
}

/**
 * Bootstrap 95 % interval of a statistic of n rows (Efron 1979, percentile method).
 * @param statistic of row numbers; resamples without a finite value are omitted
 * @returns null without any value
 */
export function bootstrapInterval(
  n: number,
  statistic: (rows: Uint32Array) => number | null,
  { seed, resamples = 1000, step = 0 }: BootstrapOptions,
): Interval | null {
  if (n === 0) return null;
  const rows = new Uint32Array(n);
  const values: number[] = [];
  for (let resample = 0; resample < resamples; resample++) {
    uniformInts(seed, streams.bootstrap, step, resample * n, n, rows);
    const value = statistic(rows);
    if (value !== null && Number.isFinite(value)) values.push(value);
  }
  return values.length === 0 ? null : { low: quantile(values, 0.025), high: quantile(values, 0.975) };
}

/** Student's 95 % interval of the mean of independent values. Null below two values. */
export function meanInterval(values: Values): Interval | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const reach = studentT975(values.length - 1) * (standardDeviation(values) / Math.sqrt(values.length));
  return { low: centre - reach, high: centre + reach };
}

/** The normal distribution's quantile of a 95 % interval. */
const Z_975 = 1.959963984540054;

/** Wilson's 95 % interval of a share (1927); null of nothing. */
export function shareInterval(successes: number, count: number): Interval | null {
  if (count === 0) return null;
  const z2 = Z_975 ** 2;
  const share = successes / count;
  const centre = (share + z2 / (2 * count)) / (1 + z2 / count);
  const reach = Math.sqrt(z2 * ((share * (1 - share)) / count + z2 / (4 * count ** 2))) / (1 + z2 / count);
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}
