/** What repeats, known answers, sides and several raters say of votes. */
import { describe, expect, it } from 'vitest';
import { trustIn } from '../../../main/engine/judging/trust.js';
import type { PairVote } from '../../../main/engine/judging/votes.js';
import { krippendorffAlpha } from '../../../main/engine/judging/alpha.js';

const vote = (pair: string, more: Partial<PairVote> = {}): PairVote => ({
  pair,
  first: 'new',
  second: 'old',
  outcome: 'first',
  rater: 'ann',
  seconds: 4,
  shown_first: 'first',
  ...more,
});

describe('trustIn', () => {
  it('compares repeats with what the same rater said of the same versions', () => {
    const cast = [
      vote('1'),
      vote('2', { outcome: 'tie' }),
      vote('3', { outcome: 'second' }),
      // Sides swapped, and the versions named the other way round: the same answer.
      vote('1r', { repeat_of: '1', shown_first: 'second', first: 'old', second: 'new', outcome: 'second' }),
      vote('2r', { repeat_of: '2', outcome: 'both_bad' }),
      vote('3r', { repeat_of: '3' }),
      // Ben did not judge the first one himself.
      vote('1b', { repeat_of: '1', rater: 'ben' }),
    ];
    expect(trustIn(cast).all.self_agreement).toMatchObject({ yes: 2, of: 3 });
    expect(trustIn(cast).raters.map(({ rater, self_agreement }) => [rater, self_agreement.of])).toEqual([['ann', 3], ['ben', 0]]); // oxfmt-ignore
  });

  it('counts known answers that were right', () => {
    const cast = [
      vote('1', { check: 'first' }),
      vote('2', { check: 'second' }),
      vote('3', { check: 'first', outcome: 'tie' }),
    ];
    expect(trustIn(cast).all.known_right).toMatchObject({ yes: 1, of: 3 });
  });

  it('sees who always takes the left', () => {
    const left = Array.from({ length: 30 }, (_, at) => {
      const side = at % 2 === 0 ? 'first' : 'second';
      return vote(String(at), { shown_first: side, outcome: side });
    });
    expect(trustIn(left).all).toMatchObject({ position_bias: true, left: { yes: 30, of: 30 } });
    const fair = left.map((one, at) => ({ ...one, outcome: at % 4 < 2 ? ('first' as const) : ('second' as const) }));
    expect(trustIn(fair).all).toMatchObject({ position_bias: false, left: { yes: 15, of: 30 } });
  });

  it('has the median of the seconds, and nothing of nothing', () => {
    const cast = [3, 5, 90].map((seconds, at) => vote(String(at), { seconds }));
    expect(trustIn(cast).all.seconds).toBe(5);
    expect(trustIn([])).toEqual({
      all: {
        votes: 0,
        seconds: null,
        self_agreement: { yes: 0, of: 0, share: null, interval: null },
        known_right: { yes: 0, of: 0, share: null, interval: null },
        left: { yes: 0, of: 0, share: null, interval: null },
        position_bias: false,
      },
      raters: [],
      alpha: null,
      alpha_pairs: 0,
    });
  });

  it('measures agreement over the pairs that two have judged, whichever was called the first', () => {
    const cast = [
      vote('1'),
      vote('1', { rater: 'ben', first: 'old', second: 'new', outcome: 'second' }),
      vote('2', { outcome: 'second' }),
      vote('2', { rater: 'ben', outcome: 'second' }),
      vote('3', { outcome: 'tie' }),
      vote('3', { rater: 'ben' }),
      vote('4'),
    ];
    const { alpha, alpha_pairs } = trustIn(cast);
    expect(alpha_pairs).toBe(3);
    expect(alpha).toBeCloseTo(krippendorffAlpha([[0, 0], [1, 1], [0.5, 0]], 'nominal') ?? NaN, 12); // oxfmt-ignore
    expect(alpha).toBeLessThan(1);
    expect(trustIn(cast.slice(0, 4)).alpha).toBe(1);
  });
});
