/** Smoothing of charts. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { smooth } from '../../../renderer/series/smooth.js';

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
