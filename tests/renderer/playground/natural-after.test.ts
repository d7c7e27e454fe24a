/** The reward model’s values laid over what was written. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { levelOf, naturalAfter } from '../../../renderer/playground/natural-after.js';

const cut = (text: string) => [...text].map((character) => ({ text: character }));

it('gives each token the last score up to its end', () => {
  const scored = [...'abcd'].map((text, at) => ({ text, natural: at / 10 }));
  expect(naturalAfter('ab', cut('cd'), scored)).toEqual([0.2, 0.3]);
});

it('copes with tokens that are cut otherwise', () => {
  const scored = [
    { text: 'abc', natural: 0.9 },
    { text: 'd', natural: 0.4 },
  ];
  expect(naturalAfter('a', [{ text: 'b' }, { text: 'cd' }], scored)).toEqual([null, 0.4]);
});

it('skips missing scores', () => {
  expect(
    naturalAfter('', cut('ab'), [
      { text: 'a', natural: 0.5 },
      { text: 'b', natural: null },
    ]),
  ).toEqual([0.5, 0.5]);
});

it('gives one value a token, always', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), fc.array(fc.string()), (prompt, written, scored) => {
      const values = naturalAfter(
        prompt,
        written.map((text) => ({ text })),
        scored.map((text) => ({ text, natural: 0.5 })),
      );
      expect(values).toHaveLength(written.length);
    }),
  );
});

it('levels cover the whole range', () => {
  expect([0, 0.19, 0.2, 0.99, 1].map((value) => levelOf(value, 5))).toEqual([0, 0, 1, 4, 4]);
});
