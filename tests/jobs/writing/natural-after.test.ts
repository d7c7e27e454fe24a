/** The reward model’s values laid over what was written. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { naturalAfter } from '../../../main/jobs/writing/natural-after.js';

it('gives each token the last score up to its end', () => {
  const scored = [...'abcd'].map((text, at) => ({ text, natural: at / 10 }));
  expect(naturalAfter('ab', ['c', 'd'], scored)).toEqual([0.2, 0.3]);
});

it('copes with tokens that are cut otherwise', () => {
  const scored = [
    { text: 'abc', natural: 0.9 },
    { text: 'd', natural: 0.4 },
  ];
  expect(naturalAfter('a', ['b', 'cd'], scored)).toEqual([null, 0.4]);
});

it('skips missing scores', () => {
  expect(
    naturalAfter(
      '',
      ['a', 'b'],
      [
        { text: 'a', natural: 0.5 },
        { text: 'b', natural: null },
      ],
    ),
  ).toEqual([0.5, 0.5]);
});

it('gives one value a token, always', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), fc.array(fc.string()), (prompt, written, scored) => {
      const values = naturalAfter(
        prompt,
        written,
        scored.map((text) => ({ text, natural: 0.5 })),
      );
      expect(values).toHaveLength(written.length);
    }),
  );
});
