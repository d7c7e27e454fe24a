/** The plan's settings for a time, and how its readings are worded. */
import { expect, it } from 'vitest';
import { readingOf, settingsFor, stopAt, stops } from '../../../renderer/wizard/plan.js';
import { inEnglish } from '../../support/messages.js';
import { localized, share } from '../../../shared/messages/message.js';

it('gives all of the time to reading, but for cycles that pay', () => {
  const reading = { train_minutes: 30, max_iters: undefined, max_cycles: 0, judge_passages: 0 };
  expect(settingsFor(30, { keepsCycles: false, others: 600, voice: null })).toEqual(reading);
  expect(settingsFor(30, { keepsCycles: true, others: 600, voice: null })).toEqual({
    ...{ train_minutes: 20, max_iters: undefined },
  });
  // Cycles that take longer than the time leave a quarter of it.
  expect(settingsFor(30, { keepsCycles: true, others: 1e5, voice: null })).toMatchObject({ train_minutes: 7.5 });
  expect(settingsFor(30, { keepsCycles: true, others: null, voice: null })).toMatchObject({ train_minutes: 30 });
});

it('plans a cycle after the voice where reading the text keeps half of the time', () => {
  const cycle = { max_cycles: 1, judge_passages: undefined, max_iters: undefined };
  const known = { keepsCycles: true, others: 700, voice: 600 };
  expect(settingsFor(30, known)).toEqual({ ...cycle, train_minutes: 20 });
  expect(settingsFor(20, known)).toEqual({ ...cycle, train_minutes: 10 });
  expect(settingsFor(15, known)).toMatchObject({ train_minutes: 15, max_cycles: 0 });
  // A longer time has room for it again.
  expect(settingsFor(30, { ...known, keepsCycles: false })).toEqual({ ...cycle, train_minutes: 20 });
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
