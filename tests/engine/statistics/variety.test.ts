/** How varied passages are, beside values that can be counted by hand. */
import { describe, expect, it } from 'vitest';
import { novelShares, selfBleu } from '../../../main/engine/statistics/variety.js';

describe('the share of a passage that is in no other', () => {
  it('is 1 among strangers, 0 among equals, and counted by stretches of six characters between', () => {
    expect([...novelShares(['abcdefgh', 'stuvwxyz'])]).toEqual([1, 1]);
    expect([...novelShares(['abcdefgh', 'abcdefgh'])]).toEqual([0, 0]);
    // abcdef is shared, bcdefg and cdefgh are not.
    expect([...novelShares(['abcdefgh', '--abcdef'])]).toEqual([2 / 3, 2 / 3]);
  });

  it('does not count what a passage says twice itself, and takes characters, not halves of them', () => {
    expect([...novelShares(['abcdefabcdef', 'uvwxyz'])]).toEqual([1, 1]);
    expect([...novelShares(['🐳🐳🐳🐳🐳', 'uvwxyz'])]).toEqual([1, 1]);
  });
});

describe('self-BLEU', () => {
  it('is 1 where all say the same, and lower the less they share', () => {
    const same = selfBleu(['a b c d e', 'a b c d e']);
    expect(same[0]).toBeCloseTo(1, 12);
    const [half = NaN] = selfBleu(['a b c d e', 'a b c x y']);
    const [none = NaN] = selfBleu(['a b c d e', 'v w x y z']);
    // Precisions 3/5, 2/4, 1/3 and half a match of 2.
    expect(half).toBeCloseTo((0.6 * 0.5 * (1 / 3) * 0.25) ** 0.25, 12);
    expect(none).toBeLessThan(half);
  });

  it('clips by the most that one other passage has', () => {
    // Of four times "a", one other has two: half of the single words.
    const [clipped = NaN] = selfBleu(['a a a a', 'a a b c', 'a x y z']);
    expect(clipped).toBeCloseTo((0.5 * (1 / 3) * 0.25 * 0.5) ** 0.25, 12);
  });
});
