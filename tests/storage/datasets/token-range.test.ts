// Ids are compared two at a time; the answer must be that of comparing them one by one.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstOutOfRange } from '../../../main/storage/datasets/token-range.js';

const vocabulary = fc.oneof(
  fc.integer({ min: 1, max: 70_000 }),
  fc.constantFrom(1, 65, 0x7fff, 0x8000, 0x8001, 50257, 0xffff, 0x10000),
);

it('is the first id that is not in the vocabulary', () => {
  const near = vocabulary.chain((size) =>
    fc.tuple(
      fc.constant(size),
      fc.array(
        fc.oneof(
          fc.nat(0xffff),
          fc.integer({ min: size - 2, max: size + 1 }).map((id) => Math.max(0, Math.min(0xffff, id))),
          fc.nat(Math.min(size - 1, 0xffff)),
        ),
      ),
      fc.nat(3),
    ),
  );
  fc.assert(
    fc.property(near, ([size, ids, skip]) => {
      const tokens = Uint16Array.from([...Array<number>(skip).fill(0xffff), ...ids]).subarray(skip);
      expect(firstOutOfRange(tokens, size)).toBe(ids.findIndex((id) => id >= size));
    }),
    { numRuns: 2000 },
  );
});

it.each([1, 65, 0x8000, 0x8001, 50257, 0xffff])('knows every id of a vocabulary of %i', (size) => {
  for (const place of [0, 1, 2, 3]) {
    for (let id = 0; id < 0x10000; id++) {
      const ids = new Uint16Array(5);
      ids[place] = id;
      if ((firstOutOfRange(ids, size) === place) !== id >= size) expect.fail(`${id} at ${place}`);
    }
  }
});
