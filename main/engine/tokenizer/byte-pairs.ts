/**
 * Byte-pair merging (Sennrich, Haddow, Birch 2016): joins the neighbours with the lowest rank, leftmost first, until no pair is left.
 * Long pieces use a heap, n log n in the bytes; `tiktoken` (WASM) and `gpt-tokenizer` are quadratic, 67 seconds for 100,000 bytes.
 */
import { Heap } from './heap.js';

export interface PairVocabulary {
  /** The rank of a pair, or -1 if it is never joined. Lower ranks are joined first. */
  join(left: number, right: number): number;
  /** The token that each rank makes; null if it is the rank, as in GPT-2's table. */
  readonly made: ArrayLike<number> | null;
}

/** The merge of rank i makes token `made[i]` of `left[i]` and `right[i]`; the last merge of a pair counts. */
export interface Merges {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly made: Int32Array;
}

/** Indexes the merges of a tokenizer.json by pair, in a hash table with open addressing. */
export function createPairTable({ left, right, made }: Merges): PairVocabulary {
  const bits = Math.max(4, Math.ceil(Math.log2(2 * left.length + 1)));
  const ranks = new Int32Array(1 << bits).fill(-1);
  /** The slot of a pair, or the free slot where it belongs. */
  const slotOf = (a: number, b: number): number => {
    let slot = Math.imul(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77), 0xc2b2ae3d) >>> (32 - bits);
    for (;;) {
      const rank = ranks[slot] ?? -1;
      if (rank < 0 || (left[rank] === a && right[rank] === b)) return slot;
      slot = (slot + 1) & (ranks.length - 1);
    }
  };
  for (let rank = 0; rank < left.length; rank++) ranks[slotOf(left[rank] ?? 0, right[rank] ?? 0)] = rank;
  return { made, join: (a, b) => ranks[slotOf(a, b)] ?? -1 };
}

/** Up to this many tokens a scan is faster than a heap. */
const FEW = 96;

/** Merges one piece. @param tokens of which the first `length` are the piece, mostly one per byte */
export function mergePairs(tokens: ArrayLike<number>, length: number, vocabulary: PairVocabulary): Uint32Array {
  return length <= FEW ? mergeFew(tokens, length, vocabulary) : mergeMany(tokens, length, vocabulary);
}

const parts = new Int32Array(FEW);
/** The rank of each part joined with the next, or -1. */
const partRanks = new Int32Array(FEW);

function mergeFew(tokens: ArrayLike<number>, length: number, vocabulary: PairVocabulary): Uint32Array {
  const { made } = vocabulary;
  let count = length;
  for (let i = 0; i < count; i++) parts[i] = tokens[i] ?? 0;
  for (let i = 0; i + 1 < count; i++) partRanks[i] = vocabulary.join(parts[i] ?? 0, parts[i + 1] ?? 0);
  for (;;) {
    let at = -1;
    let least = 0x7fffffff;
    for (let i = 0; i + 1 < count; i++) {
      const rank = partRanks[i] ?? -1;
      if (rank < 0 || rank >= least) continue;
      at = i;
      least = rank;
    }
    if (at < 0) break;
    count--;
    const joint = made === null ? least : (made[least] ?? 0);
    parts[at] = joint;
    for (let i = at + 1; i < count; i++) {
      parts[i] = parts[i + 1] ?? 0;
      partRanks[i] = partRanks[i + 1] ?? -1;
    }
    if (at + 1 < count) partRanks[at] = vocabulary.join(joint, parts[at + 1] ?? 0);
    if (at > 0) partRanks[at - 1] = vocabulary.join(parts[at - 1] ?? 0, joint);
  }
  return new Uint32Array(parts.subarray(0, count));
}

const TWO_32 = 2 ** 32;

function mergeMany(tokens: ArrayLike<number>, n: number, vocabulary: PairVocabulary): Uint32Array {
  const { made } = vocabulary;
  const ids = Int32Array.from({ length: n }, (_, i) => tokens[i] ?? 0);
  /** Starts of the next and of the previous part, by the start of a part. */
  const next = Int32Array.from({ length: n + 1 }, (_, i) => i + 1);
  const previous = Int32Array.from({ length: n + 1 }, (_, i) => i - 1);
  /** The rank of the part at i joined with the next; -1 if they cannot be joined or i starts no part. */
  const ranks = new Int32Array(n + 1).fill(-1);
  const heap = new Heap<number>((a, b) => a < b);

  const enqueue = (i: number): void => {
    const other = next[i] ?? n;
    const rank = other < n ? vocabulary.join(ids[i] ?? 0, ids[other] ?? 0) : -1;
    ranks[i] = rank;
    if (rank >= 0) heap.push(rank * TWO_32 + i);
  };

  for (let i = 0; i < n; i++) enqueue(i);
  for (let least = heap.pop(); least !== undefined; least = heap.pop()) {
    const i = least % TWO_32;
    const rank = (least - i) / TWO_32;
    if (ranks[i] !== rank) continue; // outdated by another join
    const other = next[i] ?? n;
    const end = next[other] ?? n;
    ids[i] = made === null ? rank : (made[rank] ?? 0);
    next[i] = end;
    previous[end] = i;
    ranks[other] = -1;
    enqueue(i);
    const before = previous[i] ?? -1;
    if (before >= 0) enqueue(before);
  }

  const out: number[] = [];
  for (let i = 0; i < n; i = next[i] ?? n) out.push(ids[i] ?? 0);
  return Uint32Array.from(out);
}
