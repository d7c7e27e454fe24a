/** Ratings of versions from votes on pairs. The models themselves are compared with the field's packages in tests/parity. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitStrengths } from '../../../main/engine/judging/strengths.js';
import { rateVersions } from '../../../main/engine/judging/versions.js';
import type { PairVote } from '../../../main/engine/judging/votes.js';
import type { PairOutcome } from '../../../shared/judging.js';

let pairs = 0;
const votes = (first: string, second: string, outcome: PairOutcome, count: number): PairVote[] =>
  Array.from({ length: count }, () => ({
    pair: String(pairs++),
    first,
    second,
    outcome,
    rater: 'a',
    seconds: 5,
    shown_first: 'first',
  }));

const between = (first: string, second: string, [wins, losses, ties]: readonly [number, number, number]) => [
  ...votes(first, second, 'first', wins),
  ...votes(first, second, 'second', losses),
  ...votes(first, second, 'tie', ties),
];

const names = ['v1', 'v2', 'v3'];
const cast = [
  ...between('v2', 'v1', [30, 15, 10]),
  ...between('v3', 'v2', [25, 20, 12]),
  ...between('v1', 'v3', [12, 28, 9]),
];
const find = (ratings: ReturnType<typeof rateVersions>, name: string) => {
  const found = ratings.versions.find(({ version }) => version === name);
  if (!found) throw new Error(name);
  return found;
};

describe('rateVersions', () => {
  it('puts the best first, above the one that is compared with', () => {
    const ratings = rateVersions(cast, names, { against: 'v1' });
    expect(ratings.versions.map(({ version }) => version)).toEqual(['v3', 'v2', 'v1']);
    expect(find(ratings, 'v1')).toMatchObject({ rating: 0, low: 0, high: 0, votes: 104 });
    expect(find(ratings, 'v3').low).toBeGreaterThan(0);
    // Between others, the same differences; above the mean, too.
    const mean = rateVersions(cast, names);
    expect(find(mean, 'v3').rating - find(mean, 'v1').rating).toBeCloseTo(find(ratings, 'v3').rating, 6);
    expect(mean.versions.reduce((sum, { rating }) => sum + rating, 0)).toBeCloseTo(0, 6);
  });

  it('knows how many votes on equals are ties', () => {
    expect(rateVersions(between('v1', 'v2', [30, 30, 40]), ['v1', 'v2']).tie_share).toBeCloseTo(0.4, 2);
    expect(rateVersions(cast, names, { model: 'bradley_terry' }).tie_share).toBeNull();
  });

  it('makes no infinity of two votes, and is not certain of them', () => {
    for (const model of ['davidson', 'bradley_terry'] as const) {
      const ratings = rateVersions(votes('v2', 'v1', 'first', 2), names, { against: 'v1', model });
      expect(find(ratings, 'v2').rating).toBeGreaterThan(0);
      expect(find(ratings, 'v2').rating).toBeLessThan(600);
      if (model === 'davidson') expect(find(ratings, 'v2').low).toBeLessThan(0);
    }
    expect(rateVersions([], names).versions.every(({ rating, low }) => rating === 0 && low < -300)).toBe(true);
    expect(() => rateVersions(votes('v2', 'v1', 'first', 2), ['v1', 'v2'], { prior: null })).toThrow(RangeError);
  });

  it('finds an end whatever the votes are, and there nothing pulls', () => {
    const ballot = fc.record({
      first: fc.nat(3),
      second: fc.nat(3),
      outcome: fc.constantFrom(0 as const, 0.5 as const, 1 as const),
      count: fc.oneof(fc.nat(5), fc.nat(100_000)),
    });
    const model = fc.constantFrom('davidson' as const, 'bradley_terry' as const);
    fc.assert(
      fc.property(fc.array(ballot, { maxLength: 12 }), model, (cast, which) => {
        const ballots = cast.filter(({ first, second }) => first !== second);
        const strengths = fitStrengths(ballots, 4, { model: which, prior: 2 });
        expect(strengths.every(Number.isFinite)).toBe(true);
        const again = fitStrengths(
          ballots,
          4,
          { model: which, prior: 2 },
          strengths.map((value, at) => value + at / 3),
        );
        for (const [at, strength] of strengths.entries()) expect(again[at]).toBeCloseTo(strength, 6);
      }),
      { numRuns: 300 },
    );
  });

  it('is less certain where many votes are on one prompt', () => {
    const own = rateVersions(cast, names, { against: 'v1' });
    const repeated = cast.map((vote, at) => ({ ...vote, prompt: `${vote.first} ${vote.outcome} ${at % 4}` }));
    const shared = rateVersions(repeated, names, { against: 'v1' });
    expect(find(shared, 'v3').rating).toBeCloseTo(find(own, 'v3').rating, 10);
    const width = (ratings: typeof own) => find(ratings, 'v3').high - find(ratings, 'v3').low;
    expect(width(shared)).toBeGreaterThan(1.3 * width(own));
  });

  it('leaves out repeats and known answers', () => {
    const [one] = cast;
    if (!one) throw new Error();
    const more = [{ ...one, repeat_of: one.pair }, { ...one, check: 'first' as const }]; // oxfmt-ignore
    expect(rateVersions([...cast, ...more], names)).toEqual(rateVersions(cast, names));
  });

  it('says how many more votes would exchange two neighbours: that many, and not one less', () => {
    const { flips } = rateVersions(cast, names);
    expect(flips.map(({ above, below }) => [above, below])).toEqual([['v3', 'v2'], ['v2', 'v1']]); // oxfmt-ignore
    for (const { above, below, votes: needed } of flips) {
      const place = (count: number) => {
        const { versions } = rateVersions([...cast, ...votes(below, above, 'first', count)], names);
        return (
          versions.findIndex(({ version }) => version === below) -
          versions.findIndex(({ version }) => version === above)
        );
      };
      expect(place(needed ?? 0)).toBeLessThan(0);
      expect(place((needed ?? 0) - 1)).toBeGreaterThan(0);
    }
  });

  it('refuses versions that it was not told of', () => {
    expect(() => rateVersions(cast, ['v1', 'v2'])).toThrow(RangeError);
    expect(() => rateVersions(cast, names, { against: 'v9' })).toThrow(RangeError);
  });
});
