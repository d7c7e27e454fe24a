/** Shares that never change stand on an axis that ends at 100 %. */
import { expect, it } from 'vitest';
import { flatShareAxis } from '../../../../renderer/components/chart/chart-options.js';

it('ends the axis of shares that are all 0, or all 1, at 100 %', () => {
  const whole = { min: 0, max: 1, interval: 0.25 };
  expect(flatShareAxis([[0, 0, null], [0]])).toEqual(whole);
  expect(flatShareAxis([[1, 1]])).toEqual(whole);
});

it('leaves every other axis to the values', () => {
  for (const values of [[], [[]], [[null]], [[0, 0.1]], [[0], [1]], [[0.4, 0.4]]]) {
    expect(flatShareAxis(values)).toEqual({});
  }
});
