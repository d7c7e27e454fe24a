/** A preference with models' scores as control variates. */
import { describe, expect, it } from 'vitest';
import { preference, valueOf, type ScoredPair } from '../../../main/engine/judging/control.js';
import { normals, streams } from '../../../main/engine/rng.js';
import { mean, meanInterval } from '../../../main/engine/statistics/statistics.js';
import type { PairOutcome } from '../../../shared/judging.js';

const draw = normals(5, streams.rating, 0, 0, 1200);
/** Voted on in the first place: those for which the second model's noise is drawn next to it. */
const pairs = (voted: number, all: number, scores: (z: number, at: number) => readonly number[]): ScoredPair[] =>
  Array.from({ length: all }, (_, at) => {
    const z = draw[at] ?? 0;
    const outcome: PairOutcome = z > 0.2 ? 'first' : z < -0.2 ? 'second' : at % 2 === 0 ? 'tie' : 'both_bad';
    return { outcome: at < voted ? outcome : null, scores: scores(z, at) };
  });
const width = (found: { readonly low: number; readonly high: number } | null) => (found ? found.high - found.low : NaN);

describe('preference', () => {
  it('is, without scores, the mean of the votes, with Student’s interval where there are many', () => {
    const voted = pairs(1000, 1000, () => []);
    const values = voted.flatMap(({ outcome }) => (outcome ? [valueOf(outcome)] : []));
    const found = preference(voted);
    expect(found.without?.estimate).toBeCloseTo(mean(values), 12);
    expect(found.without?.low).toBeCloseTo(meanInterval(values)?.low ?? NaN, 3);
    expect(found.without?.high).toBeCloseTo(meanInterval(values)?.high ?? NaN, 3);
    expect(found).toMatchObject({ votes: 1000, pairs: 1000, with: null });
  });

  it('is not certain of votes that all say the same', () => {
    const same = (outcome: PairOutcome) =>
      preference(pairs(40, 200, (z) => [z]).map((pair) => ({ ...pair, outcome: pair.outcome && outcome })));
    const wins = same('first');
    // As Wilson's interval of 40 of 40, with Student's quantile.
    expect(wins.without).toMatchObject({ estimate: 1, high: 1 });
    expect(wins.without?.low).toBeCloseTo(40 / (40 + 2.0227 ** 2), 3);
    expect(wins.with?.low).toBeLessThan(0.95);
    const ties = same('tie').without;
    expect(width(ties)).toBeGreaterThan(0.03);
    expect(width(ties)).toBeLessThan(0.1);
  });

  it('is more certain with a score that knows, by as much as the score explains', () => {
    const found = preference(pairs(80, 400, (z) => [z]));
    expect(width(found.with) / width(found.without)).toBeLessThan(0.75);
    // The true mean over all pairs is near one half, whatever the voted ones happened to be.
    const all = preference(pairs(400, 400, () => [])).without;
    expect(Math.abs((found.with?.estimate ?? 0) - (all?.estimate ?? 1))).toBeLessThan(
      Math.abs((found.without?.estimate ?? 0) - (all?.estimate ?? 1)) + 0.02,
    );
  });

  it('takes several models together, and is not misled by units', () => {
    const noise = (at: number) => draw[at + 400] ?? 0;
    const one = preference(pairs(120, 400, (z, at) => [z + noise(at)]));
    const both = preference(pairs(120, 400, (z, at) => [z + noise(at), 1000 * (z - noise(at)) - 7]));
    expect(width(both.with)).toBeLessThan(width(one.with));
    const scaled = preference(pairs(120, 400, (z, at) => [-1000 * (z + noise(at)) + 3]));
    expect(scaled.with?.estimate).toBeCloseTo(one.with?.estimate ?? NaN, 10);
    expect(width(scaled.with)).toBeCloseTo(width(one.with), 10);
  });

  it('does without scores that say nothing', () => {
    expect(preference(pairs(80, 400, () => [0.5])).with).toBeNull();
    expect(preference(pairs(80, 400, (z) => [z, z])).with).toBeNull();
    expect(preference(pairs(80, 85, (z) => [z])).with).toBeNull();
    expect(preference(pairs(5, 400, (z) => [z]))).toMatchObject({ without: null, with: null });
    expect(() => preference([{ outcome: null, scores: [1] }, { outcome: null, scores: [] }])).toThrow(RangeError); // oxfmt-ignore
  });
});
