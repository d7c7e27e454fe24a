/** Variety, loops and copying, by hand and against naive search; and the suffix array that the search rests on. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suffixArray } from '../../../main/engine/statistics/suffix-array.js';
import {
  copyStatistics,
  createCopyIndex,
  distinctN,
  longestRepeatedRun,
  textStatistics,
} from '../../../main/engine/statistics/text-statistics.js';
import type { TokenSource } from '../../../main/engine/types.js';

const ids = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

/** A source that records its largest read. */
function sourceOf(tokens: ArrayLike<number>): TokenSource & { largestRead: number } {
  const source = {
    length: tokens.length,
    largestRead: 0,
    read(position: number, count: number): Uint32Array {
      if (position < 0 || position + count > tokens.length) throw new RangeError('outside the source');
      source.largestRead = Math.max(source.largestRead, count);
      return Uint32Array.from({ length: count }, (_, i) => tokens[position + i] ?? 0);
    },
  };
  return source;
}

// Few symbols, so that repetitions, the hard part of suffix sorting, are everywhere.
const letters = (maxLength: number) => fc.array(fc.nat(2), { maxLength });

describe('suffix array', () => {
  const naive = (text: readonly number[]): number[] => {
    const compare = (a: number, b: number): number => {
      for (let k = 0; ; k++) {
        const [x, y] = [text[a + k] ?? -1, text[b + k] ?? -1];
        if (x !== y || x === -1) return x - y;
      }
    };
    return text.map((_, i) => i).sort(compare);
  };

  it('agrees with sorting by comparison, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(letters(60), fc.array(fc.nat(300), { maxLength: 60 })), (text) => {
        expect(Array.from(suffixArray(text, 301))).toEqual(naive(text));
      }),
      { numRuns: 500 },
    );
  });

  it('agrees on long texts of one symbol, of two in turn, and of Fibonacci words, which recurse deeply', () => {
    let [a, b] = [[0], [1]];
    while (b.length < 1500) [a, b] = [b, [...b, ...a]];
    for (const text of [new Array<number>(999).fill(1), Array.from({ length: 1000 }, (_, i) => i % 2), b]) {
      expect(Array.from(suffixArray(text, 2))).toEqual(naive(text));
    }
  });
});

describe('distinct-n', () => {
  it('counts over all sequences together, never across two of them', () => {
    expect(distinctN([ids('abab')], 1)).toBe(2 / 4);
    expect(distinctN([ids('abab')], 2)).toBe(2 / 3);
    expect(distinctN([ids('abab')], 3)).toBe(1);
    expect(distinctN([ids('ab'), ids('ab')], 2)).toBe(1 / 2);
    expect(distinctN([ids('ab'), ids('cd')], 2)).toBe(1);
  });

  it('is null where there is no n-gram', () => {
    expect(distinctN([], 1)).toBeNull();
    expect(distinctN([ids('ab'), []], 3)).toBeNull();
  });
});

// Qwen's and Llama 3's ids do not fit 16 bits.
describe('a vocabulary of more than 65,536 tokens', () => {
  it('distinguishes its n-grams', () => {
    const pairs = [
      [1, 65_536],
      [2, 0],
    ];
    expect(distinctN(pairs, 2)).toBe(1);
    expect(distinctN([[1, 2, 151_000, 3, 1, 2, 151_000]], 3)).toBe(4 / 5);
  });

  it('finds what is copied, of any ids', () => {
    const large = fc.array(fc.constantFrom(0, 1, 65_535, 65_536, 65_537, 151_935), { maxLength: 40 });
    fc.assert(
      fc.property(large, large, (text, completion) => {
        const occurs = (from: number, length: number) => {
          const wanted = completion.slice(from, from + length).join();
          return text.some((_, at) => text.slice(at, at + length).join() === wanted);
        };
        const longest = completion.map((_, from) => {
          let length = 0;
          while (from + length < completion.length && occurs(from, length + 1)) length++;
          return length;
        });
        expect(Array.from(createCopyIndex(sourceOf(text)).matchLengths(completion))).toEqual(longest);
      }),
    );
  });
});

describe('longest repeated run', () => {
  it.each([
    ['', 0],
    ['abcdef', 0],
    ['xaaaay', 4],
    ['abcabcabc', 9],
    ['abcabcab', 8],
    ['say it say it say it!', 20],
    ['abcxabc', 0], // twice, but not in a row
    ['hello', 2],
  ])('%j: %i', (text, expected) => {
    expect(longestRepeatedRun(ids(text))).toBe(expected);
  });

  it('a repeated text is one run', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 30 }), (tokens) => {
        expect(longestRepeatedRun([...tokens, ...tokens])).toBe(2 * tokens.length);
      }),
    );
  });
});

describe('copying', () => {
  const index = createCopyIndex(sourceOf(ids('the quick brown fox jumps over the lazy dog')));

  it('share of tokens inside common n-grams, and the longest common n-gram', () => {
    expect(copyStatistics(ids('quick brown'), index, 5)).toEqual({ copiedShare: 1, longestCopy: 11 });
    expect(copyStatistics(ids('XXquickXX'), index, 5)).toEqual({ copiedShare: 5 / 9, longestCopy: 5 });
    expect(copyStatistics(ids('XXquickXX'), index, 6)).toEqual({ copiedShare: 0, longestCopy: 5 });
    // " brown" and "own fox" overlap in "own": no token counts twice.
    expect(copyStatistics(ids('lazy brown fox'), index, 5)).toEqual({ copiedShare: 1, longestCopy: 10 });
    expect(copyStatistics([], index, 5)).toEqual({ copiedShare: 0, longestCopy: 0 });
  });

  it('agrees with its definition: a token counts when some n-gram around it occurs in the training text', () => {
    fc.assert(
      fc.property(letters(50), letters(30), fc.integer({ min: 1, max: 5 }), (text, completion, n) => {
        const grams = new Set(
          text.map((_, i) => text.slice(i, i + n).join()).slice(0, Math.max(0, text.length - n + 1)),
        );
        const copied = completion.map(() => false);
        for (let i = 0; i + n <= completion.length; i++) {
          if (grams.has(completion.slice(i, i + n).join())) copied.fill(true, i, i + n);
        }
        const expected = completion.length === 0 ? 0 : copied.filter(Boolean).length / completion.length;
        expect(copyStatistics(completion, createCopyIndex(sourceOf(text)), n).copiedShare).toBe(expected);
      }),
    );
  });

  it('a larger training text is indexed in windows: bounded memory, a lower bound, never a match across two windows', () => {
    const text = Array.from({ length: 100_000 }, (_, i) => i % 50_000);
    const source = sourceOf(text);
    const sampled = createCopyIndex(source, 6400);
    expect(source.largestRead).toBe(100);
    const whole = createCopyIndex(sourceOf(text));
    for (const first of [0, 777, 49_950, 99_900]) {
      const passage = text.slice(first, first + 100);
      expect(copyStatistics(passage, whole, 10).longestCopy).toBe(100);
      expect(copyStatistics(passage, sampled, 10).copiedShare).toBeLessThanOrEqual(1);
      expect(copyStatistics(passage, sampled, 10).longestCopy).toBeLessThanOrEqual(100);
    }
    expect(copyStatistics(text.slice(0, 100), sampled, 10).longestCopy).toBe(100); // the first window starts at 0
    expect(copyStatistics(text.slice(0, 300), sampled, 10).longestCopy).toBe(100); // and ends after 100
    expect(copyStatistics(text.slice(-100), sampled, 10).longestCopy).toBe(100); // the last one ends at the end
  });

  it('an empty training text has nothing to copy', () => {
    expect(copyStatistics(ids('abc'), createCopyIndex(sourceOf([])), 1)).toEqual({ copiedShare: 0, longestCopy: 0 });
  });
});

describe('text statistics of a batch', () => {
  it('averages over completions', () => {
    const index = createCopyIndex(sourceOf(ids('one two three')));
    expect(textStatistics([ids('one two'), ids('aaaaaaa')], index, 4)).toEqual({
      distinct_1: 7 / 14,
      distinct_2: 7 / 12,
      distinct_3: 6 / 10,
      longest_repeated_run: 3.5,
      copied_share: 0.5,
      longest_copied: 3.5,
      longest_copied_max: 7,
    });
  });

  it('of no completions is defined', () => {
    expect(textStatistics([], createCopyIndex(sourceOf([1, 2])), 4)).toMatchObject({
      distinct_1: null,
      copied_share: 0,
    });
  });
});
