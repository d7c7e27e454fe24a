/** Two versions compared by votes: the verdict is valid however often one looks. */
import fc from 'fast-check';
import { inEnglish } from '../../support/messages.js';
import { describe, expect, it } from 'vitest';
import { compare, logEvidence, shareInterval, walk } from '../../../main/engine/judging/comparison.js';
import { votesBetween, type PairVote } from '../../../main/engine/judging/votes.js';
import { streams, uniforms } from '../../../main/engine/rng.js';
import { MAX_VOTES, verdictOf, verdictMessage } from '../../../shared/judging.js';
import { votesOf as votes } from './judged.js';

/** Computes log B(x, y) for whole numbers. */
const logBeta = (x: number, y: number): number => {
  const factorial = (n: number): number => (n < 2 ? 0 : Math.log(n) + factorial(n - 1));
  return factorial(x - 1) + factorial(y - 1) - factorial(x + y - 1);
};

describe('the evidence', () => {
  it('is B(a + wins, a + losses) / B(a, a) · 2^n with a = 5', () => {
    for (const [w, l] of [
      [0, 0],
      [1, 0],
      [7, 3],
      [60, 41],
    ] as const) {
      expect(logEvidence(w, l)).toBeCloseTo(logBeta(5 + w, 5 + l) - logBeta(5, 5) + (w + l) * Math.LN2, 10);
    }
  });

  it('stays the same on average while the two are equal, and when the share is the one tested', () => {
    for (const p of [0.5, 0.3]) {
      for (let w = 0; w < 30; w += 7) {
        const now = Math.exp(logEvidence(w, 12, p));
        const next = p * Math.exp(logEvidence(w + 1, 12, p)) + (1 - p) * Math.exp(logEvidence(w, 13, p));
        expect(next / now).toBeCloseTo(1, 12);
      }
    }
  });

  it('leaves the shares below 20', () => {
    const { low, high } = shareInterval(30, 12);
    expect(Math.exp(logEvidence(30, 12, low))).toBeCloseTo(20, 6);
    expect(Math.exp(logEvidence(30, 12, high))).toBeCloseTo(20, 6);
    expect(low).toBeLessThan(30 / 42);
    expect(high).toBeGreaterThan(30 / 42);
    expect(shareInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(shareInterval(40, 0).high).toBe(1);
  });

  it('ever decides between equals with a probability of at most 1/20: the exact one', () => {
    const last = [...walk(() => 0.5, MAX_VOTES)].at(-1);
    expect((last?.first ?? 1) + (last?.second ?? 1)).toBeLessThanOrEqual(0.05);
    expect((last?.first ?? 0) + (last?.second ?? 0)).toBeGreaterThan(0.02);
    expect(last?.first).toBeCloseTo(last?.second ?? 0, 12);
  });
});

describe('simulated raters', () => {
  const STUDIES = 300;
  /** Runs studies of 200 votes with a true share, looking after every vote. */
  const studies = (share: number, seed: number) =>
    Array.from({ length: STUDIES }, (_, study) => {
      const draws = Array.from(uniforms(seed, streams.rating, study, 0, 200));
      return compare(votes(draws.map((draw) => (draw < share ? 'w' : 'l')).join('')));
    });

  it('find a winner between equals in at most 5 % of studies, and the interval holds the truth in 95 %', () => {
    const equal = studies(0.5, 1);
    expect(equal.filter(({ decided }) => decided !== null).length / STUDIES).toBeLessThanOrEqual(0.05);
    const covered = equal.filter(({ interval: { low, high } }) => low <= 0.5 && 0.5 <= high);
    expect(covered.length / STUDIES).toBeGreaterThanOrEqual(0.95);
  });

  it('find the better of two in most studies, almost never the other, and the interval holds the truth', () => {
    const found = studies(0.65, 2);
    expect(found.filter(({ decided }) => decided === 'first').length / STUDIES).toBeGreaterThan(0.85);
    expect(found.filter(({ decided }) => decided === 'second').length / STUDIES).toBeLessThan(0.005);
    const covered = found.filter(({ interval: { low, high } }) => low <= 0.65 && 0.65 <= high);
    expect(covered.length / STUDIES).toBeGreaterThanOrEqual(0.95);
  });
});

describe('compare', () => {
  it('counts, and decides at the vote that reaches 20', () => {
    const found = compare(votes('wwtwwbwwwwwwwwwlll'));
    expect(found).toMatchObject({ wins: 13, losses: 3, ties: 1, both_bad: 1, decided: 'first' });
    // The last vote before it, and it.
    const at = found.decided_at ?? 0;
    expect(compare(votes('wwtwwbwwwwwwwwwlll'.slice(0, at - 1))).decided).toBeNull();
    expect(compare(votes('wwtwwbwwwwwwwwwlll'.slice(0, at))).e_value).toBeGreaterThanOrEqual(20);
    // The last three took some of it back; it stays decided, and the interval with it.
    expect(found.e_value).toBeLessThan(20);
    expect(found.interval.low).toBeGreaterThan(0.5);
  });

  it('is the same from the other side', () => {
    const cast = votes('wlwwtwwwlwww');
    const [one, other] = [compare(cast), compare(votesBetween(cast, 'old', 'new'))];
    expect([other.wins, other.losses]).toEqual([one.losses, one.wins]);
    expect(other.e_value).toBeCloseTo(one.e_value, 10);
    expect(other.interval.low).toBeCloseTo(1 - one.interval.high, 10);
    expect(other.votes_left).toBe(one.votes_left);
  });

  it('counts a pair once, and no repeats', () => {
    const [one] = votes('w');
    if (!one) throw new Error();
    const more: PairVote[] = [
      { ...one, rater: 'b' },
      { ...one, pair: 'again', repeat_of: one.pair },
    ];
    expect(compare([one, ...more])).toEqual(compare([one]));
  });

  it('refuses votes of several comparisons at once', () => {
    const [one] = votes('w');
    if (!one) throw new Error();
    expect(() => compare([one, { ...one, pair: 'other', second: 'older' }])).toThrow(RangeError);
  });

  it('never takes a decision back, and excludes one half exactly when decided', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('w', 'w', 'l', 't', 'b'), { maxLength: 60 }), (letters) => {
        let decided: string | null = null;
        for (let count = 0; count <= letters.length; count++) {
          const found = compare(votes(letters.slice(0, count).join('')));
          if (decided !== null) expect(found.decided).toBe(decided);
          decided = found.decided;
          expect(found.interval.low > 0.5 || found.interval.high < 0.5).toBe(decided !== null);
        }
      }),
      { numRuns: 40, seed: 7 },
    );
  });

  it('predicts how many more votes decide it; ties delay it', () => {
    const { votes_left, chance } = compare(votes('wwwlwwlwwlwwwl'));
    expect(votes_left).toBeGreaterThan(0);
    expect(chance).toBeGreaterThan(0.5);
    expect(compare(votes('wwwlwwlwwlwwwlttttttt')).votes_left).toBeGreaterThan((votes_left ?? 0) * 1.3);
  });

  it('sees when no number of votes within reach would show anything', () => {
    const even = compare(votes('wl'.repeat(200)));
    expect(even).toMatchObject({ decided: null, hopeless: true, votes_left: null });
    expect(even.chance).toBeLessThan(0.05);
    expect(compare(votes('wl'.repeat(20))).hopeless).toBe(false);
    expect(compare(votes('t'.repeat(MAX_VOTES))).hopeless).toBe(true);
  });
});

describe('in words', () => {
  const say = (letters: string) =>
    inEnglish(verdictMessage(compare(votes(letters)), { first: 'Version 2', second: 'version 1' }));

  it('says what there is to do', () => {
    expect(say('')).toBe('No votes on Version 2 against version 1 yet.');
    expect(say('w'.repeat(12))).toBe('Version 2 is better than version 1: no more votes are needed.');
    expect(say('l'.repeat(12))).toBe('Version 2 is worse than version 1: no more votes are needed.');
    expect(say('wl'.repeat(250))).toBe(
      'No difference between Version 2 and version 1 that 600 votes could show: no more votes are needed.',
    );
    expect(say('wwwlwwlwwlwwwl')).toMatch(/^Undecided: about \d+ more votes would decide it\.$/);
    expect(say('wl'.repeat(80))).toMatch(
      /^Undecided and close: about 440 more votes would decide it with a probability of only \d+%\.$/,
    );
    expect(verdictOf(compare(votes('ttt')))).toBe('waiting');
  });
});
