/**
 * Which two tokens are joined to which third, and in which order: the list of merges of a tokenizer.json, where unlike in
 * GPT-2's own table a token's id says nothing about its rank.
 */
import type { PairVocabulary } from './byte-pairs.js';

/** The merge of rank i makes token `made[i]` of the tokens `left[i]` and `right[i]`; of two for one pair the last counts. */
export interface Merges {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly made: Int32Array;
}

export function createPairTable({ left, right, made }: Merges): PairVocabulary {
  const bits = Math.max(4, Math.ceil(Math.log2(2 * left.length + 1)));
  const mask = (1 << bits) - 1;
  /** Ranks by hash of the pair, the next free place when one is taken; -1 where there is none. */
  const ranks = new Int32Array(1 << bits).fill(-1);
  const placeOf = (a: number, b: number): number =>
    Math.imul(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77), 0xc2b2ae3d) >>> (32 - bits);

  for (let rank = 0; rank < left.length; rank++) {
    const [a, b] = [left[rank] ?? 0, right[rank] ?? 0];
    let place = placeOf(a, b);
    for (;;) {
      const other = ranks[place] ?? -1;
      if (other < 0 || (left[other] === a && right[other] === b)) break;
      place = (place + 1) & mask;
    }
    ranks[place] = rank;
  }

  return {
    made,
    join(a, b) {
      for (let place = placeOf(a, b); ; place = (place + 1) & mask) {
        const rank = ranks[place] ?? -1;
        if (rank < 0 || (left[rank] === a && right[rank] === b)) return rank;
      }
    },
  };
}
