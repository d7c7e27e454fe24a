/** Ratings and agreement are those of the field's own packages: fixtures/ratings.json, which make_ratings.py writes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { krippendorffAlpha } from '../../main/engine/judging/alpha.js';
import { fitStrengths, uncertaintyOf, type Ballot } from '../../main/engine/judging/strengths.js';
import { POINTS } from '../../main/engine/judging/versions.js';

interface Facts {
  readonly tables: readonly {
    readonly name: string;
    readonly rows: readonly (readonly [first: number, second: number, wins: number, losses: number, ties: number])[];
    readonly arena: Readonly<Record<'ratings' | 'rating_lower' | 'rating_upper', readonly number[]>> & {
      readonly hessian_reg: number;
      readonly init_rating: number;
    };
    readonly davidson: { readonly strengths: readonly number[]; readonly log_nu: number };
  }[];
  readonly alphas: readonly {
    readonly name: string;
    readonly units: readonly (readonly number[])[];
    readonly alpha: Readonly<Record<'nominal' | 'ordinal' | 'interval', number>>;
  }[];
}

const facts = JSON.parse(readFileSync(new URL('./fixtures/ratings.json', import.meta.url), 'utf8')) as Facts;

const ballotsOf = (rows: Facts['tables'][number]['rows']): Ballot[] =>
  rows.flatMap(([first, second, ...counts]) =>
    ([1, 0, 0.5] as const).map((outcome, at) => ({ first, second, outcome, count: counts[at] ?? 0 })),
  );

describe.each(facts.tables)('$name', ({ rows, arena, davidson }) => {
  const ballots = ballotsOf(rows);
  const versions = arena.ratings.length;

  it('has arena-rank’s ratings and intervals to 1e-6', () => {
    const options = { model: 'bradley_terry', prior: null } as const;
    const strengths = fitStrengths(ballots, versions, options);
    const votes = ballots.reduce((sum, { count }) => sum + count, 0);
    const { sandwich } = uncertaintyOf(ballots, versions, options, strengths, arena.hessian_reg * votes);
    for (const [at, rating] of arena.ratings.entries()) {
      const own = arena.init_rating + POINTS * (strengths[at] ?? NaN);
      // Above the mean: the direction in which all move together has no gradient and adds nothing.
      const reach =
        1.959963984540054 * POINTS * Math.sqrt(sandwich(strengths.map((_, i) => (i === at ? 1 : 0) - 1 / versions)));
      expect(Math.abs(own - rating)).toBeLessThan(1e-6);
      expect(Math.abs(own - reach - (arena.rating_lower[at] ?? NaN))).toBeLessThan(1e-6);
      expect(Math.abs(own + reach - (arena.rating_upper[at] ?? NaN))).toBeLessThan(1e-6);
    }
  });

  it('has leaderbot’s strengths and ties to 1e-4', () => {
    const strengths = fitStrengths(ballots, versions, { model: 'davidson', prior: null });
    for (const [at, strength] of davidson.strengths.entries()) {
      expect(Math.abs((strengths[at] ?? NaN) - strength)).toBeLessThan(1e-4);
    }
    expect(Math.abs((strengths[versions] ?? NaN) - davidson.log_nu)).toBeLessThan(1e-4);
  });
});

it.each(facts.alphas)('has krippendorff’s alpha to 1e-9: $name', ({ units, alpha }) => {
  for (const level of ['nominal', 'ordinal', 'interval'] as const) {
    expect(Math.abs((krippendorffAlpha(units, level) ?? NaN) - alpha[level])).toBeLessThan(1e-9);
  }
});
