// Fewer points, the same picture: extremes, first and last stay, nothing is made up.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { downsample } from '../../../main/storage/projects/series.js';

const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(NaN, Infinity, -Infinity));

describe('downsample', () => {
  it('keeps at most so many points, in order, all of them real, with first, last, lowest and highest', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 400 }), fc.integer({ min: 4, max: 60 }), (values, points) => {
        const steps = values.map((_, index) => 3 * index);
        const found = downsample(steps, values, 0, values.length, points);
        expect(found.steps.length).toBeLessThanOrEqual(points);
        expect(found.values).toHaveLength(found.steps.length);
        expect([...found.steps].sort((a, b) => a - b)).toEqual(found.steps);
        expect(new Set(found.steps).size).toBe(found.steps.length);
        found.steps.forEach((step, index) => {
          const original = values[step / 3] ?? NaN;
          expect(found.values[index]).toBe(Number.isFinite(original) ? original : null);
        });
        if (values.length === 0) return;
        expect(found.steps[0]).toBe(0);
        expect(found.steps.at(-1)).toBe(steps.at(-1));
        const finite = values.filter(Number.isFinite);
        const kept = found.values.filter((one) => one !== null);
        if (finite.length > 0) {
          expect(Math.min(...kept)).toBe(Math.min(...finite));
          expect(Math.max(...kept)).toBe(Math.max(...finite));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps everything when there are few', () => {
    expect(downsample([1, 2, 3], [5, NaN, 7], 1, 3, 4)).toEqual({
      steps: [2, 3],
      values: [null, 7],
    });
  });

  it('shows a stretch of nothing but NaN as a gap', () => {
    const values = Array.from({ length: 100 }, (_, i) => (i > 40 && i < 60 ? NaN : 1));
    const { values: kept } = downsample(Object.keys(values).map(Number), values, 0, 100, 22);
    expect(kept).toContain(null);
  });

  it('keeps a single spike among a million points', () => {
    const values = new Float64Array(1_000_000);
    values[777_777] = 9;
    const steps = values.map((_, index) => index);
    expect(downsample(steps, values, 0, values.length, 500).values).toContain(9);
  });
});
