/** Where points lie on an axis. */
import { expect, it } from 'vitest';
import { placeOf, secondsBetween } from '../../../renderer/series/places.js';

it('finds the place of a step among points that were thinned', () => {
  const series = { steps: [10, 20, 40], values: [1, 2, 3], positions: [1, 2, 6] };
  expect([5, 10, 30, 40, 41].map((step) => placeOf(step, series))).toEqual([null, 1, 4, 6, null]);
  expect(placeOf(20, { steps: [10, 20], values: [1, 1] })).toBe(20);
});

it('marks times where they read well', () => {
  expect([4, 47, 200, 3600, 50_000, 1_000_000].map(secondsBetween)).toEqual([1, 10, 60, 900, 10_800, 259_200]);
});
