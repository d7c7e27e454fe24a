/** Words of any script: joined they are the text, and each can be pointed at. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countWords, firstWords, wordsOf } from '../../shared/base/words-of.js';

it.each([
  ['The sea, he said, was calm.', ['The ', 'sea, ', 'he ', 'said, ', 'was ', 'calm.']],
  ["a state-of-the-art don't", ['a ', 'state-of-the-art ', "don't"]],
  ['我喜欢大海。他也是。', ['我', '喜欢', '大海。', '他', '也是。']],
  ['吾輩は猫である。', ['吾輩', 'は', '猫', 'で', 'ある。']],
  ['ทะเลสงบ', ['ทะเล', 'สงบ']],
  ['كان البحر هادئا', ['كان ', 'البحر ', 'هادئا']],
  ['море, и Chinese 大海 too', ['море, ', 'и ', 'Chinese ', '大海 ', 'too']],
])('%s', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

it('joined, words are the text, and the first ones a beginning of it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '\n', '.', '海', '洋', '。', 'ท', 'ะ', 'ا', '“') });
  fc.assert(
    fc.property(text, fc.nat(5), (given, count) => {
      expect(wordsOf(given).join('')).toBe(given);
      const first = firstWords(given, count);
      expect(given.startsWith(first)).toBe(true);
      if (wordsOf(given).length <= count) expect(first).toBe(given);
      else expect(first).toBe(wordsOf(given).slice(0, count).join('').trimEnd());
    }),
  );
  expect(firstWords('One, two three.', 2)).toBe('One, two');
  expect(countWords('— One … two 大海 3')).toBe(4);
});
