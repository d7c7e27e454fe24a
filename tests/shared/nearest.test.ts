import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from '../../shared/base/nearest.js';

describe('nearest', () => {
  it('counts insertions, deletions, replacements and swaps', () => {
    expect(editDistance('train', 'trian')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });

  it('is symmetric, zero only for equal words, and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });

  it('suggests nothing when nothing is near', () => {
    expect(nearest('zzzzzz', ['train', 'sample'])).toBeNull();
    expect(nearest('perplexty', ['train', 'perplexity'])).toBe('perplexity');
  });
});
