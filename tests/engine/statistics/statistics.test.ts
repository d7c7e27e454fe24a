/** Statistics against values from numpy, scipy and the textbook, and against what must hold for any input. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bootstrapInterval,
  calibrationTable,
  correlation,
  mean,
  meanAbsoluteError,
  meanInterval,
  meanSquaredError,
  pick,
  quantile,
  r2,
  standardDeviation,
  sum,
} from '../../../main/engine/statistics/statistics.js';
import { normals, streams, uniforms } from '../../../main/engine/rng.js';

describe('sums and moments', () => {
  it('a sum keeps what a plain loop loses', () => {
    expect(sum([1, 1e100, 1, -1e100])).toBe(2);
    expect(sum(new Float64Array(1e6).fill(0.1))).toBe(100_000);
    expect(sum([Infinity, 1])).toBe(Infinity);
  });

  it('mean and standard deviation: numpy.mean, numpy.std(ddof=1)', () => {
    const values = [2, 4, 4, 4, 5, 5, 7, 9];
    expect(mean(values)).toBe(5);
    expect(standardDeviation(values)).toBeCloseTo(2.138089935299395, 14);
    expect(standardDeviation([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16])).toBeCloseTo(Math.sqrt(30), 12);
    expect(mean([])).toBeNaN();
    expect(standardDeviation([1])).toBeNaN();
  });

  it('quantile interpolates as numpy.quantile does', () => {
    expect(quantile([3, 1, 2, 4], 0.5)).toBe(2.5);
    expect(quantile([3, 1, 2, 4], 0.025)).toBeCloseTo(1.075, 12);
    expect([quantile([3, 1, 2], 0), quantile([3, 1, 2], 1), quantile([7], 0.3)]).toEqual([1, 3, 7]);
  });
});

describe('fit', () => {
  const predictions = [0.1, 0.4, 0.35, 0.8];
  const targets = [0, 0.5, 0.25, 1];

  it('mse, mae, r2 worked out by hand, correlation from numpy.corrcoef', () => {
    expect(meanSquaredError(predictions, targets)).toBeCloseTo(0.0175, 15);
    expect(meanAbsoluteError(predictions, targets)).toBeCloseTo(0.125, 15);
    expect(r2(predictions, targets)).toBeCloseTo(1 - 0.07 / 0.546875, 14);
    expect(correlation(predictions, targets)).toBeCloseTo(0.9851430923690204, 14);
  });

  it('always predicting the mean of the targets has R² 0, worse than that is below 0', () => {
    expect(r2([0.4375, 0.4375, 0.4375, 0.4375], targets)).toBe(0);
    expect(r2([1, 0.5, 0.5, 0], targets)).toBeLessThan(0);
    expect(r2(targets, targets)).toBe(1);
  });

  it('is null, not NaN, where it is undefined', () => {
    expect(r2([1, 2], [3, 3])).toBeNull();
    expect(r2([0.1, 0.1, 0.1], [0.3, 0.3, 0.3])).toBeNull(); // 0.3 is not exact: a computed variance would not be 0
    expect(correlation([1, 1], [1, 2])).toBeNull();
    expect(correlation([], [])).toBeNull();
  });

  it('refuses sides of different length', () => {
    expect(() => r2([1], [1, 2])).toThrow(RangeError);
  });
});

describe('calibration table', () => {
  it('counts and averages by bin of the prediction; ends belong to the first and last bin', () => {
    const table = calibrationTable([0, 0.05, 0.1, 0.3, 0.95, 1], [0.2, 0.4, 1, 0, 0.5, 1]);
    expect(table).toHaveLength(10);
    expect(table[0]).toMatchObject({
      low: 0,
      high: 0.1,
      count: 2,
      meanPredicted: 0.025,
      meanTrue: 0.30000000000000004,
    });
    expect(table[1]).toMatchObject({ count: 1, meanPredicted: 0.1, meanTrue: 1 });
    expect(table[3]).toMatchObject({ low: 0.3, count: 1, meanTrue: 0 });
    expect(table[9]).toMatchObject({ high: 1, count: 2, meanTrue: 0.75 });
    expect(table[5]).toEqual({
      low: 0.5,
      high: 0.6,
      count: 0,
      meanPredicted: null,
      meanTrue: null,
      trueInterval: null,
    });
  });

  it('every prediction in [0, 1] is in exactly one bin, and inside its bounds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 100 }),
        (p, bins) => {
          const table = calibrationTable(p, p, bins);
          expect(table.reduce((total, bin) => total + bin.count, 0)).toBe(p.length);
          for (const { low, high, meanPredicted } of table) {
            if (meanPredicted !== null) expect(meanPredicted >= low - 1e-15 && meanPredicted <= high).toBe(true);
          }
        },
      ),
    );
  });
});

describe('intervals', () => {
  it("Student's interval of a mean: scipy.stats.t.interval", () => {
    // [degrees of freedom, t.ppf(0.975)]; values 0 and 1 in equal numbers make the standard error easy.
    for (const [freedom, t] of [
      [1, 12.706205],
      [2, 4.302653],
      [3, 3.182446],
      [4, 2.776445],
      [9, 2.262157],
      [29, 2.04523],
      [511, 1.964631],
    ] as const) {
      const values = Array.from({ length: freedom + 1 }, (_, i) => i);
      const interval = meanInterval(values);
      const error = standardDeviation(values) / Math.sqrt(values.length);
      expect(((interval?.high ?? 0) - mean(values)) / error / t).toBeCloseTo(1, 2.5);
    }
    expect(meanInterval([1])).toBeNull();
  });

  it('bootstrap intervals hold the true value about 95 times in 100', () => {
    let held = 0;
    for (let trial = 0; trial < 200; trial++) {
      const values = uniforms(trial, streams.sample, 0, 0, 60);
      const interval = bootstrapInterval(60, (rows) => mean(pick(values, rows)), { seed: trial, resamples: 200 });
      if (interval && interval.low <= 0.5 && interval.high >= 0.5) held++;
    }
    expect(held).toBeGreaterThan(176);
    expect(held).toBeLessThan(199);
  });

  it('bootstrap of R²: contains 0 for noise, not for signal', () => {
    const targets = uniforms(1, streams.sample, 1, 0, 300);
    const noise = normals(1, streams.sample, 2, 0, 300);
    const of = (predictions: ArrayLike<number>) =>
      bootstrapInterval(300, (rows) => r2(pick(predictions, rows), pick(targets, rows)), { seed: 1, resamples: 400 });
    const blind = of(Array.from(noise, (value) => 0.5 + 0.01 * value));
    const seeing = of(Array.from(noise, (value, i) => 0.1 * value + (targets[i] ?? 0)));
    expect((blind?.low ?? 1) < 0 && (blind?.high ?? -1) > -0.05).toBe(true);
    expect(seeing?.low).toBeGreaterThan(0.5);
  });

  it('is the same every time, and another for another seed or step', () => {
    const values = uniforms(1, streams.sample, 0, 0, 50);
    const of = (seed: number, step: number) =>
      bootstrapInterval(50, (rows) => mean(pick(values, rows)), { seed, step, resamples: 100 });
    expect(of(1, 0)).toEqual(of(1, 0));
    expect(of(1, 0)).not.toEqual(of(2, 0));
    expect(of(1, 0)).not.toEqual(of(1, 1));
  });

  it('is null where the statistic never has a value', () => {
    expect(bootstrapInterval(5, () => null, { seed: 1, resamples: 10 })).toBeNull();
    expect(bootstrapInterval(0, () => 1, { seed: 1 })).toBeNull();
  });
});
