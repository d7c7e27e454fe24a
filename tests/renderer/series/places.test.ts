/** Where points lie on an axis, and what several seeds come to there. */
import { expect, it } from 'vitest';
import { meanOverSeeds } from '../../../renderer/series/mean-over-seeds.js';
import { placeOf, secondsBetween } from '../../../renderer/series/places.js';

it('finds the place of a step among points that were thinned', () => {
  const series = { steps: [10, 20, 40], values: [1, 2, 3], positions: [1, 2, 6] };
  expect([5, 10, 30, 40, 41].map((step) => placeOf(step, series))).toEqual([null, 1, 4, 6, null]);
  expect(placeOf(20, { steps: [10, 20], values: [1, 1] })).toBe(20);
});

it('marks times where they read well', () => {
  expect([4, 47, 200, 3600, 50_000, 1_000_000].map(secondsBetween)).toEqual([1, 10, 60, 900, 10_800, 259_200]);
});

it('is the mean over seeds, as far as all of them go', () => {
  const runs = [
    { steps: [10, 20, 30, 40], values: [1, 2, 3, 4] },
    { steps: [10, 30], values: [3, 7] },
    { steps: [0, 10, 20, 30, 40], values: [9, 2, null, 5, 6] },
  ];
  const found = meanOverSeeds(runs);
  // At step 20: 2, between 3 and 7, between 2 and 5.
  expect(found?.mean.steps).toEqual([10, 20, 30]);
  expect(found?.mean.values).toEqual([2, (2 + 5 + 3.5) / 3, 5]);
  // 1, 3, 2: Student's 97.5 % quantile at two degrees of freedom is 4.30265, the standard error 1 / √3.
  expect(found?.reach.values[0]).toBeCloseTo(4.30265 / Math.sqrt(3), 4);
  expect(
    meanOverSeeds([
      { steps: [1, 2], values: [1, 1] },
      { steps: [3], values: [1] },
    ]),
  ).toBeNull();
  expect(
    meanOverSeeds([
      { steps: [1], values: [1] },
      { steps: [], values: [] },
    ]),
  ).toBeNull();
  // Of the same places in time, those are told.
  const timed = (values: number[], positions: number[]) => ({ steps: [1, 2, 3], values, positions });
  const over = meanOverSeeds([timed([1, 2, 3], [5, 10, 15]), timed([1, 1, 1], [10, 20, 30])]);
  expect(over?.mean).toEqual({ steps: [2, 3], positions: [10, 15], values: [1.5, 2] });
});
