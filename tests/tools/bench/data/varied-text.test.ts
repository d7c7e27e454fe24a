// The text that ids are compared on: the same every time, and of every kind.
import { expect, it } from 'vitest';
import { randomTexts, awkwardTexts } from '../../../../tools/bench/data/cases.js';
import { variedText, wordsOf } from '../../../../tools/bench/data/varied-text.js';

const words = wordsOf('Call me Ishmael. Some years ago, never mind how long');
const text = (seed: number): string => [...variedText(words, 300_000, seed)].join('');

it('is the same for the same seed', () => {
  expect(text(1)).toBe(text(1));
  expect(text(1)).not.toBe(text(2));
});

it.each([
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
  ['Chinese', /\p{Script=Han}/u],
  ['Hangul', /\p{Script=Hangul}/u],
  ['emoji with joiners', /\p{Emoji}\u200d\p{Emoji}/u],
  ['runs of white space', /\s{8}/],
  ['program code', / {4}.*(?:return|def |const )/],
  ['private characters', /\p{Co}/u],
])('holds %s', (_, pattern) => {
  expect(text(1)).toMatch(pattern);
});

it('holds control characters', () => {
  for (const code of [0, 7, 0x1b, 0x7f, 0x85, 0x200d]) expect(text(1)).toContain(String.fromCharCode(code));
});

it('has half characters only among the single texts', () => {
  expect(text(1)).not.toMatch(/\p{Surrogate}/u);
  expect(awkwardTexts().some((one) => /\p{Surrogate}/u.test(one))).toBe(true);
  expect(randomTexts(1000, 1)).toEqual(randomTexts(1000, 1));
});
