// The cache of pieces: it may forget, but what it gives is what was kept.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_KEPT, PieceCache } from '../../../main/engine/tokenizer/piece-cache.js';

const units = fc.uint16Array({ minLength: 1, maxLength: MAX_KEPT + 4, max: 3 });

it('gives the ids that were kept for a piece, or none', () => {
  const entries = fc.array(fc.tuple(units, fc.uint16Array({ minLength: 1, maxLength: MAX_KEPT + 4 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(entries, (kept) => {
      const cache = new PieceCache();
      const out = new Uint16Array(MAX_KEPT + 2);
      const last = new Map<string, readonly number[]>();
      for (const [piece, ids] of kept) {
        const count = cache.copy(piece, 0, piece.length, out, 2);
        if (count > 0) expect([...out.subarray(2, 2 + count)]).toEqual(last.get(piece.join()));
        cache.keep(piece, 0, piece.length, ids);
        if (piece.length <= MAX_KEPT && ids.length <= MAX_KEPT) {
          last.set(piece.join(), [...ids]);
          expect(cache.copy(piece, 0, piece.length, out, 2)).toBe(ids.length);
        }
      }
    }),
    { numRuns: 30 },
  );
});

it('does not mistake one piece for another that falls on the same place', () => {
  const cache = new PieceCache();
  const out = new Uint16Array(MAX_KEPT);
  // Two units make four billion pieces for 65,536 places: some of these share theirs.
  let mistaken = 0;
  for (let i = 0; i < 200_000; i++) {
    const piece = Uint16Array.of(i & 0xffff, i >>> 16, 7);
    mistaken += cache.copy(piece, 0, 3, out, 0);
    cache.keep(piece, 0, 3, Uint16Array.of(i & 0xffff));
  }
  expect(mistaken).toBe(0);
});
