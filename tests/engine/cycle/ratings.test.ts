// What a person's ratings come to: shares with their intervals, and whether the newest generator is taken for natural more
// often than the one before.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MIN_RATINGS, ratingOpinion, ratingReport } from '../../../main/engine/cycle/ratings.js';
import { shareDifference, shareInterval } from '../../../main/engine/statistics/statistics.js';
import type { Verdict } from '../../../shared/rating.js';

const rated = (source: string, natural: number, generated: number) => [
  ...Array.from({ length: natural }, () => ({ source, verdict: 'natural' as Verdict })),
  ...Array.from({ length: generated }, () => ({ source, verdict: 'generated' as Verdict })),
];
const sources = ['natural', 'base_model_v1', 'base_model_v2'];

describe('intervals of shares', () => {
  it('are Wilson’s and Newcombe’s', () => {
    // Newcombe (1998), "Interval estimation for the difference between independent proportions", table II (a).
    const change = shareDifference({ successes: 48, count: 80 }, { successes: 56, count: 70 });
    expect(change?.low).toBeCloseTo(0.0524, 4);
    expect(change?.high).toBeCloseTo(0.3339, 4);
    // Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I: 81 of 263, 1 of 29.
    expect(shareInterval(81, 263)?.low).toBeCloseTo(0.2553, 4);
    expect(shareInterval(81, 263)?.high).toBeCloseTo(0.3662, 4);
    expect(shareInterval(1, 29)?.low).toBeCloseTo(0.0061, 4);
    expect(shareInterval(1, 29)?.high).toBeCloseTo(0.1718, 4);
    expect(shareInterval(0, 0)).toBeNull();
    expect(shareDifference({ successes: 0, count: 0 }, { successes: 1, count: 1 })).toBeNull();
  });

  it('hold the share and stay within [0, 1]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }), (count, part) => {
        const successes = Math.round(part * count);
        const { low, high } = shareInterval(successes, count) ?? { low: NaN, high: NaN };
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(successes / count + 1e-12);
        expect(high).toBeGreaterThanOrEqual(successes / count - 1e-12);
      }),
    );
  });
});

describe('a report of ratings', () => {
  it('counts what was taken for natural, of the text and of each generator', () => {
    const report = ratingReport(sources, [...rated('natural', 9, 1), ...rated('base_model_v1', 2, 8)]);
    expect(
      report.sources.map(({ source, rated: count, taken_for_natural }) => [source, count, taken_for_natural]),
    ).toEqual([
      ['natural', 10, 9],
      ['base_model_v1', 10, 2],
      ['base_model_v2', 0, 0],
    ]);
    expect(report.sources[2]?.interval).toBeNull();
    expect(report.verdict).toBe('too_few');
  });

  it.each([
    ['better', 4, 28],
    ['worse', 28, 4],
    ['no_clear_change', 14, 18],
  ] as const)('finds the writing %s', (verdict, before, after) => {
    const ratings = [...rated('base_model_v1', before, 40 - before), ...rated('base_model_v2', after, 40 - after)];
    expect(ratingReport(sources, ratings)).toMatchObject({ verdict, change: { low: expect.any(Number) as number } });
  });

  it.each([
    ['all_generated', 0],
    ['all_natural', 10],
  ] as const)('says nothing where everything of both was taken for the same: %s', (verdict, taken) => {
    const ratings = ['base_model_v1', 'base_model_v2'].flatMap((source) => rated(source, taken, 10 - taken));
    expect(ratingReport(sources, ratings)).toMatchObject({ verdict, change: null });
  });

  it('tells no difference of too few, nor with one generator', () => {
    const few = [...rated('base_model_v1', 0, MIN_RATINGS), ...rated('base_model_v2', MIN_RATINGS - 1, 0)];
    expect(ratingReport(sources, few)).toMatchObject({ verdict: 'too_few', change: null });
    expect(ratingReport(sources.slice(0, 2), rated('base_model_v1', 9, 9)).verdict).toBe('too_few');
  });
});

it('sets the reward model’s means beside what a person said of the same passages', () => {
  const passage = (id: string, source: string, natural: number) => ({ id, source, natural });
  const judged = [
    ...[passage('a', 'natural', 0.9), passage('b', 'natural', 0.7)],
    ...[passage('c', 'base_model_v1', 0.2), passage('d', 'base_model_v1', NaN)],
  ];
  const said = (id: string, verdict: Verdict) => ({ passage: id, verdict });
  const opinion = ratingOpinion('reward_model_v1', sources, judged, [
    ...[said('a', 'natural'), said('c', 'natural'), said('d', 'generated'), said('not written any more', 'generated')],
  ]);
  expect(opinion.sources.map(({ natural }) => natural)).toEqual([0.8, 0.2, null]);
  // Two values, and Student's t for one degree of freedom: 12.7062.
  expect(opinion.sources[0]?.interval?.high).toBeCloseTo(0.8 + 12.7062 * 0.1, 3);
  expect(opinion.sources[1]?.interval).toBeNull();
  expect(opinion.taken.natural).toBeCloseTo(0.55, 12);
  expect(opinion.taken.generated).toBeNull();
});
