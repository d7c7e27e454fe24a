/** The yardsticks of a voice rank made-up writers rightly: one that copies, loops or exaggerates, the author, and one that is anybody. */
import { describe, expect, it } from 'vitest';
import { createCopyIndex } from '../../../main/engine/statistics/text-statistics.js';
import { areaUnderCurve, trainClassifier, wordGrams } from '../../../main/engine/voice/classifier.js';
import { countsOf, freshDetector, trainEar, voiceShares } from '../../../main/engine/voice/yardsticks.js';
import { uniformInt } from '../../../main/engine/rng.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';

const common = 'the and of a to in he she it was had with not for on that his her said they'.split(' ');
const marked = 'whale harpoon leviathan thou ye hath forecastle Ahab pequod starboard'.split(' ');

/** @param share of words that only this author uses */
const passages = (count: number, share: number, seed: number): string[] =>
  Array.from({ length: count }, (_, row) =>
    Array.from({ length: 30 }, (_, at) => {
      const own = uniformInt(seed, 0, row, 2 * at, 1000) < 1000 * share;
      const words = own ? marked : common;
      return words[uniformInt(seed, 0, row, 2 * at + 1, words.length)];
    }).join(' '),
  );

const author = 0.12;
const text = passages(120, author, 1);
const ear = trainEar(text, passages(120, 0.02, 2));
const own = passages(80, author, 3);
const writers = {
  untrained: passages(80, 0.02, 4),
  tuned: passages(80, 0.06, 5),
  author: own,
  exaggerates: passages(80, 0.45, 6),
};

describe('voice share', () => {
  it.each(['characters', 'words'] as const)('rises from the untrained model to the author, by %s', (kind) => {
    const shares = Object.values(writers).map((each) => voiceShares(ear, each)[kind]);
    const [untrained, tuned, authors, exaggerated] = shares.map(({ mean }) => mean);
    expect(untrained).toBeLessThan(0.25);
    expect(tuned).toBeGreaterThan((untrained ?? 1) + 0.15);
    expect(authors).toBeGreaterThan((tuned ?? 1) + 0.15);
    expect(exaggerated).toBeGreaterThanOrEqual(authors ?? 1);
    for (const { mean, interval } of shares) {
      expect((interval?.high ?? 0) - (interval?.low ?? 0)).toBeGreaterThan(0.02);
      expect(Math.abs(mean - ((interval?.high ?? 0) + (interval?.low ?? 0)) / 2)).toBeLessThan(0.1);
    }
  });
});

it('takes no more for the author’s with four times as much of the text, and ranks better', () => {
  const [untrained, others] = [passages(60, 0.06, 8), passages(300, 0.06, 9)];
  const more = passages(240, author, 10);
  const heard = [more.slice(0, 60), more].map((part) => {
    const { words } = trainEar(part, untrained);
    const [first, second] = [passages(300, author, 11), others].map((each) => each.map(words));
    return {
      area: areaUnderCurve(first ?? [], second ?? []),
      taken: voiceShares({ characters: words, words }, others).words.mean,
    };
  });
  expect(heard[1]?.area).toBeGreaterThan((heard[0]?.area ?? 1) + 0.01);
  expect(heard[1]?.taken).toBeLessThan((heard[0]?.taken ?? 0) + 0.03);
});

describe('a fresh detector', () => {
  it('finds the author’s own text no easier than by chance, and a writer that exaggerates easily', () => {
    const again = freshDetector(passages(80, author, 7), own);
    expect(Math.abs(again.mean - 0.5)).toBeLessThan(0.15);
    expect((again.interval?.high ?? 0) - (again.interval?.low ?? 0)).toBeLessThan(0.25);
    expect(freshDetector(writers.tuned, own).mean).toBeGreaterThan(again.mean + 0.1);
    expect(freshDetector(writers.exaggerates, own).mean).toBeGreaterThan(0.95);
  });

  it('agrees with the area by hand', () => {
    expect(areaUnderCurve([3, 2], [1, 2])).toBe(0.875);
    expect(areaUnderCurve([1], [2])).toBe(0);
  });

  it('gives the same answer to a text with nothing that it knows', () => {
    const score = trainClassifier(wordGrams, ['sea sea', 'sea ship'], ['land land', 'land tree']);
    expect(score('sea')).toBeGreaterThan(0);
    expect(score('land')).toBeLessThan(0);
    expect(score('xyzzy')).toBeCloseTo(0, 5);
    expect(score('')).toBe(score('xyzzy'));
  });
});

describe('counts', () => {
  const trained = Array.from({ length: 4000 }, (_, at) => uniformInt(9, 0, 0, at, 300));
  const copies = createCopyIndex(tokensInMemory(trained));
  const fresh = (seed: number) => Array.from({ length: 48 }, (_, at) => uniformInt(seed, 0, 1, at, 300));
  const counted = (passage: (row: number) => readonly number[]) =>
    countsOf(
      Array.from({ length: 20 }, (_, row) => passage(row)),
      copies,
      6,
    );
  const honest = counted((row) => fresh(20 + row));

  it('find the writer that copies', () => {
    const copied = counted((row) => trained.slice(row * 50, row * 50 + 48));
    expect(copied.copied.mean).toBe(1);
    expect(honest.copied.mean).toBe(0);
    expect(copied.repeated.mean).toBeCloseTo(honest.repeated.mean, 1);
  });

  it('find the writer that loops, and the one that always writes the same', () => {
    const loops = counted((row) => Array.from({ length: 48 }, (_, at) => fresh(20 + row)[at % 4] ?? 0));
    expect(loops.repeated.mean).toBeCloseTo(1 - 4 / 47, 6);
    expect(honest.repeated.mean).toBeLessThan(0.03);
    const same = counted(() => fresh(20));
    expect(same.distinct_3).toBeCloseTo(1 / 20, 2);
    expect(honest.distinct_3).toBeGreaterThan(0.99);
    expect(same.repeated.mean).toBeLessThan(0.03);
  });
});
