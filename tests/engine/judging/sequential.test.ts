/** Two versions compared by votes: what is told is right however often one looks. */
import { describe, expect, it } from 'vitest';
import { planStudy } from '../../../main/engine/judging/design.js';
import { logEvidence, shareInterval } from '../../../main/engine/judging/evidence.js';
import { compare, createTest } from '../../../main/engine/judging/sequential.js';
import { turned, votesBetween, type PairVote } from '../../../main/engine/judging/votes.js';
import { walk } from '../../../main/engine/judging/walk.js';
import { uniforms, streams } from '../../../main/engine/rng.js';
import { MAX_VOTES, verdictOf, verdictSentence, type PairOutcome } from '../../../shared/judging.js';

/** Votes on pairs of their own. w: the first, l: the second, t: a tie, b: both bad. */
const votes = (said: string): PairVote[] =>
  [...said].map((letter, at) => ({
    pair: String(at),
    first: 'new',
    second: 'old',
    outcome: ({ w: 'first', l: 'second', t: 'tie', b: 'both_bad' } as Record<string, PairOutcome>)[letter] ?? 'tie',
    rater: 'a',
    seconds: 5,
    shown_first: at % 2 === 0 ? 'first' : 'second',
  }));

/** Of log B(x, y). */
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
    expect(cast.map(turned).map(turned)).toEqual(cast);
  });

  it('counts a pair once, and neither repeats nor known answers', () => {
    const [one] = votes('w');
    if (!one) throw new Error();
    const more: PairVote[] = [
      { ...one, rater: 'b' },
      { ...one, pair: 'again', repeat_of: one.pair },
      { ...one, pair: 'known', check: 'first' },
    ];
    expect(compare([one, ...more])).toEqual(compare([one]));
  });

  it('refuses votes of several comparisons at once', () => {
    const [one] = votes('w');
    if (!one) throw new Error();
    expect(() => compare([one, { ...one, pair: 'other', second: 'older' }])).toThrow(RangeError);
  });

  it('says how many more votes would decide it: half of the studies are decided by then', () => {
    const soFar = votes('wwwlwwlwwlwwwl');
    const { votes_left } = compare(soFar);
    expect(votes_left).not.toBeNull();
    const left = votes_left ?? 0;
    // Continued by the prediction's own law: the share drawn from what the votes so far leave of Beta(5, 5).
    let decided = 0;
    const studies = 2000;
    for (let study = 0; study < studies; study++) {
      const draws = uniforms(7, streams.rating, study, 0, left);
      const test = createTest();
      for (const { outcome } of soFar) test.add(outcome === 'first' ? 'first' : 'second');
      for (const draw of draws) {
        const next = (5 + test.wins) / (10 + test.wins + test.losses);
        test.add(draw < next ? 'first' : 'second');
      }
      if (test.decided !== null) decided++;
    }
    expect(decided / studies).toBeGreaterThan(0.46);
    expect(decided / studies).toBeLessThan(0.56);
    // Ties take votes and tell nothing.
    expect(compare(votes('wwwlwwlwwlwwwlttttttt')).votes_left).toBeGreaterThan(left * 1.3);
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
  const say = (said: string) => verdictSentence(compare(votes(said)), { first: 'Version 2', second: 'version 1' });

  it('says what there is to do', () => {
    expect(say('')).toBe('No votes on Version 2 against version 1 yet.');
    expect(say('w'.repeat(12))).toBe('Version 2 is better than version 1: you may stop.');
    expect(say('l'.repeat(12))).toBe('Version 2 is worse than version 1: you may stop.');
    expect(say('wl'.repeat(250))).toBe(
      'No difference between Version 2 and version 1 that 600 votes could show: you may stop.',
    );
    expect(say('wwwlwwlwwlwwwl')).toMatch(/^Undecided: about \d+ more votes would decide it\.$/);
    expect(say('wl'.repeat(80))).toMatch(
      /^Undecided and close: even 600 votes decide it with a probability of only \d+%\.$/,
    );
    expect(verdictOf(compare(votes('ttt')))).toBe('waiting');
  });
});

describe('planStudy', () => {
  it('gives the votes that a difference takes', () => {
    const plans = [0.7, 0.65, 0.6].map((share) => planStudy({ share, ties: 0, seconds: 6 }));
    const expected = [44, 84, 193];
    for (const [at, { votes: found, minutes }] of plans.entries()) {
      const wanted = expected[at] ?? 0;
      expect(Math.abs((found ?? 0) / wanted - 1)).toBeLessThan(0.15);
      expect(minutes).toBeCloseTo((found ?? 0) / 10, 10);
    }
    expect(plans[0]?.votes_80).toBeGreaterThan(plans[0]?.votes ?? 0);
  });

  it('counts ties and what is shown besides', () => {
    const plain = planStudy({ share: 0.7, ties: 0, seconds: 6 });
    const real = planStudy({ share: 0.7, ties: 0.5, seconds: 6, checks: 0.2 });
    expect(real.votes).toBe((plain.votes ?? 0) * 2);
    expect(real.minutes).toBeCloseTo(((plain.votes ?? 0) * 2 * 6) / 60 / 0.8, 10);
  });

  it('says null for what takes too long, and refuses nonsense', () => {
    expect(planStudy({ share: 0.505, ties: 0, seconds: 1 }).votes).toBeNull();
    expect(() => planStudy({ share: 0.5, ties: 0, seconds: 1 })).toThrow(RangeError);
    expect(() => planStudy({ share: 0.6, ties: 1, seconds: 1 })).toThrow(RangeError);
  });
});
