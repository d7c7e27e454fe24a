/** What stands in the training text is found where it stands, from twelve words on. */
import { expect, it } from 'vitest';
import { copiedStretches } from '../../../main/engine/statistics/copied-stretches.js';
import { createCopyIndex } from '../../../main/engine/statistics/text-statistics.js';

const training = Array.from({ length: 200 }, (_, i) => `word${i}`);
const idOf = (word: string) => training.indexOf(word.trim()) + 1;
const source = {
  length: training.length,
  read: (first: number, count: number) => Uint32Array.from(training.slice(first, first + count), idOf),
};
/** Tokens of whole words; other words have an id that the training text does not. */
function stretchesIn(text: string, most?: number) {
  const pieces = text.match(/\S+\s*/gu) ?? [];
  const index = createCopyIndex(source);
  const ids = Uint32Array.from(pieces, (piece) => idOf(piece));
  return copiedStretches(pieces, index.matchLengths(ids), most).map(({ start, end }) => text.slice(start, end).trim());
}
const part = (first: number, count: number) => training.slice(first, first + count).join(' ');

it.each([
  ['nothing', 'mine own words', []],
  ['too few', `${part(3, 11)} mine`, []],
  ['enough', `mine ${part(3, 12)} mine`, [part(3, 12)]],
  ['two places', `${part(3, 15)} mine ${part(90, 20)}`, [part(3, 15), part(90, 20)]],
])('%s', (_, text, stretches) => {
  expect(stretchesIn(text)).toEqual(stretches);
});

it('ends where the text that is shown ends', () => {
  const text = `mine ${part(3, 20)}`;
  expect(stretchesIn(text, 40)).toEqual([text.slice(5, 40).trim()]);
  expect(stretchesIn(text, 3)).toEqual([]);
});
