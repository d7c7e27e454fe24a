/** The passage of a text that models read, and what counting pairs of characters predicts of it. */
import { expect, it } from 'vitest';
import { excerptOf } from '../../../main/engine/statistics/character-baseline.js';
import { streams, uniformInt } from '../../../main/engine/rng.js';

const random = (length: number, letters: string) =>
  Array.from({ length }, (_, at) => letters[uniformInt(7, streams.sample, 0, at, letters.length)]).join('');
const letters = 'abcdefghijklmnopqrstuvwxyz';

it.each([
  ['letters without any order', random(60_000, letters), Math.log(26), 0.05],
  ['two letters in turn', 'ab'.repeat(30_000), 0, 0.01],
  [
    'pairs: after each letter one of two',
    random(30_000, 'ac').replaceAll('a', 'ab').replaceAll('c', 'cd'),
    Math.log(2) / 2,
    0.02,
  ],
  [
    'many characters of another script',
    random(200_000, 'अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह'),
    Math.log(43),
    0.1,
  ],
] as const)('knows how predictable the text is: %s', (_, text, nats, within) => {
  expect(Math.abs(excerptOf(text).baseline - nats)).toBeLessThan(within);
});

it('counts in the rest of the text only: a passage does not predict itself', () => {
  const once = `${random(30_000, letters)}${'q'.repeat(30_000)}`;
  expect(excerptOf(once).baseline).toBeGreaterThan(1.5);
  expect(excerptOf(random(1500, letters)).baseline).toBeGreaterThan(Math.log(26) - 0.1);
});

it('is four passages from all over the text, always the same, and all of a short one', () => {
  const parts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(20_000));
  const { text } = excerptOf(parts.join(''));
  expect(text).toBe(['a', 'b', 'c', 'd'].map((letter) => letter.repeat(1000)).join('\n'));
  expect(excerptOf('Only this.').text).toBe('Only this.');
  expect(excerptOf('😀'.repeat(3)).text).toBe('😀😀😀');
  expect(excerptOf('')).toEqual({ text: '', baseline: 0 });
});
