/**
 * Whether token ids fit a vocabulary, at the speed of memory: opening a prepared dataset looks at every id, and must
 * not cost more than a small part of preparing it.
 */
import type { TokenIds } from '../../engine/types.js';

/** The lower 15 bits, and the top bit, of two 16-bit numbers side by side. */
const REST = 0x7fff7fff;
const TOPS = 0x80008000;

/** Where the first id that is not below `vocabSize` stands, or -1. */
export function firstOutOfRange(ids: TokenIds, vocabSize: number): number {
  if (ids instanceof Uint32Array) return ids.findIndex((id) => id >= vocabSize);
  return hasOutOfRange(ids, vocabSize) ? ids.findIndex((id) => id >= vocabSize) : -1;
}

function hasOutOfRange(ids: Uint16Array, vocabSize: number): boolean {
  if (vocabSize > 0xffff) return false;
  const last = ids.length - 1;
  if (last >= 0 && (ids[last] ?? 0) >= vocabSize) return true;
  if (ids.byteOffset % 4 !== 0) return hasOutOfRange(ids.slice(), vocabSize);
  const pairs = new Int32Array(ids.buffer, ids.byteOffset, ids.length >> 1);
  // Two ids are compared at once: what is added carries into an id's top bit when its other bits reach the limit.
  let found = 0;
  if (vocabSize <= 0x8000) {
    const carry = (0x8000 - vocabSize) * 0x10001;
    for (let i = 0; i < pairs.length; i++) {
      const pair = pairs[i] ?? 0;
      found |= ((pair & REST) + carry) | pair;
    }
  } else {
    const carry = (0x10000 - vocabSize) * 0x10001;
    for (let i = 0; i < pairs.length; i++) {
      const pair = pairs[i] ?? 0;
      found |= ((pair & REST) + carry) & pair;
    }
  }
  return (found & TOPS) !== 0;
}
