/** What a chart says to those who cannot see it. */
import { expect, it } from 'vitest';
import { seriesFacts } from '../../../renderer/series/describe.js';

it('names the last, the lowest and the highest value with their steps', () => {
  expect(seriesFacts({ steps: [1, 2, 3, 4], values: [5, 2, 9, 4] })).toEqual({
    last: { step: 4, value: 4 },
    lowest: { step: 2, value: 2 },
    highest: { step: 3, value: 9 },
  });
});

it('passes over holes and says nothing of an empty series', () => {
  expect(seriesFacts({ steps: [1, 2], values: [3, null] })?.last).toEqual({ step: 1, value: 3 });
  expect(seriesFacts({ steps: [1], values: [null] })).toBeNull();
});
