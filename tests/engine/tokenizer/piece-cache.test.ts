// The cache of pieces may forget, but it returns only what was stored.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_CACHED, PieceCache } from '../../../main/engine/tokenizer/piece-encoder.js';

const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: MAX_CACHED + 4 });

it('returns the ids that were stored for a piece, or none', () => {
  const ids = fc.uint16Array({ minLength: 1, maxLength: MAX_CACHED + 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, ids), { maxLength: 60 }), (entries) => {
      const cache = new PieceCache();
      const out = new Uint16Array(MAX_CACHED + 2);
      const last = new Map<string, readonly number[]>();
      for (const [text, own] of entries) {
        const count = cache.copy(text, 0, text.length, out, 2);
        if (count > 0) expect([...out.subarray(2, 2 + count)]).toEqual(last.get(text));
        cache.store(text, 0, text.length, own);
        if (text.length <= MAX_CACHED && own.length <= MAX_CACHED) {
          last.set(text, [...own]);
          expect(cache.copy(text, 0, text.length, out, 2)).toBe(own.length);
        }
      }
    }),
    { numRuns: 30 },
  );
});

it('does not confuse pieces that share a slot', () => {
  const cache = new PieceCache();
  const out = new Uint16Array(MAX_CACHED);
  // Four billion pieces of two units share 65,536 slots.
  let confused = 0;
  for (let i = 0; i < 200_000; i++) {
    const text = String.fromCharCode(i & 0xffff, i >>> 16, 7);
    confused += cache.copy(text, 0, 3, out, 0);
    cache.store(text, 0, 3, Uint16Array.of(i & 0xffff));
  }
  expect(confused).toBe(0);
});
