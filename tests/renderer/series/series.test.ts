/** Series of charts: places on the axis, smoothing, summaries, tables. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeOf, secondsBetween, seriesFacts, seriesToCsv, smooth } from '../../../renderer/series/series.js';

it('finds the place of a step among points that were thinned', () => {
  const series = { steps: [10, 20, 40], values: [1, 2, 3], positions: [1, 2, 6] };
  expect([5, 10, 30, 40, 41].map((step) => placeOf(step, series))).toEqual([null, 1, 4, 6, null]);
  expect(placeOf(20, { steps: [10, 20], values: [1, 1] })).toBe(20);
});

it('marks times where they read well', () => {
  expect([4, 47, 200, 3600, 50_000, 1_000_000].map(secondsBetween)).toEqual([1, 10, 60, 900, 10_800, 259_200]);
});

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 });
const stepsOf = (count: number) => Array.from({ length: count }, (_, at) => 10 * at);

it('leaves everything as it is at 0', () => {
  expect(smooth([1, 2, 3], [5, null, 7], 0)).toEqual([5, null, 7]);
});

it('begins with the first value itself, not near zero', () => {
  expect(smooth([0, 10], [4, 4], 0.98)).toEqual([4, 4].map((value) => expect.closeTo(value, 9)));
});

it('leaves what never changes as it is, to the last digit', () => {
  expect(smooth([1, 2, 3, 4], [1e-5, 1e-5, null, 1e-5], 0.6)).toEqual([1e-5, 1e-5, null, 1e-5]);
});

it('never leaves the range of what was measured', () => {
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 0.99, noNaN: true }), (given, smoothing) => {
      const [low, high] = [Math.min(...given), Math.max(...given)];
      const slack = 1e-6 * Math.max(1, Math.abs(low), Math.abs(high));
      for (const value of smooth(stepsOf(given.length), given, smoothing)) {
        expect(value).toBeGreaterThanOrEqual(low - slack);
        expect(value).toBeLessThanOrEqual(high + slack);
      }
    }),
  );
});

it('counts a gap of several steps as several steps', () => {
  const even = smooth([0, 1, 2, 3], [0, 0, 0, 8], 0.5).at(-1) ?? 0;
  const afterGap = smooth([0, 1, 2, 12], [0, 0, 0, 8], 0.5).at(-1) ?? 0;
  expect(afterGap).toBeGreaterThan(even);
  expect(afterGap).toBeGreaterThan(7.9);
});

it('keeps holes as holes', () => {
  expect(smooth([0, 1, 2], [1, null, 3], 0.5)[1]).toBeNull();
});

it('names the last, the lowest and the highest value with their steps', () => {
  expect(seriesFacts({ steps: [1, 2, 3, 4], values: [5, 2, 9, 4] })).toEqual({
    last: { step: 4, value: 4 },
    lowest: { step: 2, value: 2 },
    highest: { step: 3, value: 9 },
  });
});

it('skips gaps and returns null for an empty series', () => {
  expect(seriesFacts({ steps: [1, 2], values: [3, null] })?.last).toEqual({ step: 1, value: 3 });
  expect(seriesFacts({ steps: [1], values: [null] })).toBeNull();
});

it('gives one row to a step, in order, and leaves empty what was not measured', () => {
  const table = seriesToCsv([
    { name: 'loss', steps: [10, 20, 30], values: [3, 2.5, null] },
    { name: 'val_loss', steps: [20], values: [2.75] },
  ]);
  expect(table).toBe('step,loss,val_loss\r\n10,3,\r\n20,2.5,2.75\r\n30,,\r\n');
});

it('quotes names that would break the table', () => {
  expect(seriesToCsv([{ name: 'a,"b"', steps: [], values: [] }])).toBe('step,"a,""b"""\r\n');
});

it('keeps a spreadsheet from taking a name for a formula, and leaves negative numbers what they are', () => {
  const table = seriesToCsv([{ name: '=HYPERLINK("x")', steps: [-1], values: [-0.5] }]);
  expect(table).toBe(`step,"'=HYPERLINK(""x"")"\r\n-1,-0.5\r\n`);
});

it('uses the axis of the chart and names it', () => {
  const series = { name: 'loss', steps: [10, 20], positions: [1.5, 3.25], values: [3, 2.5] };
  expect(seriesToCsv([series], 'compute')).toBe('compute_seconds,loss\r\n1.5,3\r\n3.25,2.5\r\n');
});
