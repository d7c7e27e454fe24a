/** The plan's settings for a time, and how its readings are worded. */
import { expect, it } from 'vitest';
import { readingOf, settingsFor, stopAt, stops } from '../../../renderer/wizard/plan.js';
import { inEnglish } from '../../support/messages.js';
import { localized, share } from '../../../shared/messages/message.js';

it('gives all of the time to reading, but for cycles that pay', () => {
  expect(settingsFor(30, { keepsCycles: false, others: 600 })).toEqual({
    ...{ train_minutes: 30, max_iters: undefined, max_cycles: 0, judge_passages: 0 },
  });
  expect(settingsFor(30, { keepsCycles: true, others: 600 })).toEqual({
    ...{ train_minutes: 20, max_iters: undefined },
  });
  // Cycles that take longer than the time leave a quarter of it.
  expect(settingsFor(30, { keepsCycles: true, others: 1e5 })).toMatchObject({ train_minutes: 7.5 });
  expect(settingsFor(30, { keepsCycles: true, others: null })).toMatchObject({ train_minutes: 30 });
});

it.each([
  [5, 5],
  [7.2, 10],
  [17, 15],
  [45, 60],
  [5000, 480],
  [0, 5],
  [null, 15],
])('shows %s minutes at the stop of %s', (minutes, at) => {
  expect(stops[stopAt(minutes)]).toBe(at);
});

it.each([
  [null, 'read your text as often as the time allows: about 6 min.'],
  [0.004, 'read 1% of your text: about 6 min.'],
  [0.66, 'read 66% of your text: about 6 min.'],
  [0.97, 'read your text once: about 6 min.'],
  [1.46, 'read your text 1.5 times: about 6 min.'],
  [2.04, 'read your text twice: about 6 min.'],
  [41.3, 'read your text 41 times: about 6 min.'],
])('words %s readings', (passes, words) => {
  const { kind, times, share: part } = readingOf(passes);
  const params = { model: 'SmolLM2 135M', kind, times, share: share(part), time: '6 min' };
  expect(inEnglish(localized('wizard.plan.start.model', params))).toBe(`Start from SmolLM2 135M and ${words}`);
});
