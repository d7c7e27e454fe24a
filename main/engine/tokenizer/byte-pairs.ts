/**
 * Byte-pair merging (Sennrich, Haddow, Birch 2016, as in GPT-2): of all neighbouring parts whose join is a token, the
 * one with the lowest rank is joined, the leftmost first, until none is left. A heap makes a piece of n bytes cost
 * n log n, so that a megabyte without a break takes a second, not a week.
 * Byte strings here are JavaScript strings with one byte per character: they are cut and looked up fastest.
 */
export interface BytePairVocabulary {
  /** The id, which is also the rank, of each token's byte string. */
  readonly ids: ReadonlyMap<string, number>;
  /** Bytes of the longest token. */
  readonly longest: number;
}

const TWO_32 = 2 ** 32;

/** The ids of one piece. Every single byte must be a token. */
export function mergeBytePairs(piece: string, { ids, longest }: BytePairVocabulary): Uint16Array {
  const n = piece.length;
  /** Where the part that begins at i ends, and where the part before it begins. */
  const next = new Int32Array(n + 1);
  const previous = new Int32Array(n + 1);
  /** The rank of the part at i joined with the next, or -1: it cannot be joined, or is no longer a part. */
  const ranks = new Int32Array(n + 1).fill(-1);
  const heap = new MinHeap(3 * n);

  const consider = (i: number): void => {
    const middle = next[i] ?? n;
    const end = middle < n ? (next[middle] ?? n) : n + longest + 1;
    const rank = end - i <= longest ? (ids.get(piece.slice(i, end)) ?? -1) : -1;
    ranks[i] = rank;
    if (rank >= 0) heap.push(rank * TWO_32 + i);
  };

  for (let i = 0; i <= n; i++) {
    next[i] = i + 1;
    previous[i] = i - 1;
  }
  for (let i = 0; i < n; i++) consider(i);
  while (heap.size > 0) {
    const least = heap.pop();
    const i = least % TWO_32;
    if (ranks[i] !== (least - i) / TWO_32) continue; // overtaken by another join
    const middle = next[i] ?? n;
    const end = next[middle] ?? n;
    next[i] = end;
    previous[end] = i;
    ranks[middle] = -1;
    consider(i);
    const before = previous[i] ?? -1;
    if (before >= 0) consider(before);
  }

  const out = new Uint16Array(n);
  let count = 0;
  for (let i = 0; i < n; i = next[i] ?? n) {
    const id = ids.get(piece.slice(i, next[i]));
    if (id === undefined) throw new Error('the vocabulary lacks a single byte');
    out[count++] = id;
  }
  return out.slice(0, count);
}

/** A binary heap of numbers with a fixed capacity. */
class MinHeap {
  size = 0;
  private readonly items: Float64Array;

  constructor(capacity: number) {
    this.items = new Float64Array(capacity);
  }

  push(value: number): void {
    const { items } = this;
    let i = this.size++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = items[parent] ?? 0;
      if (above <= value) break;
      items[i] = above;
      i = parent;
    }
    items[i] = value;
  }

  /** Takes the least out; the heap must not be empty. */
  pop(): number {
    const { items } = this;
    const least = items[0] ?? 0;
    const value = items[--this.size] ?? 0;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && (items[child + 1] ?? 0) < (items[child] ?? 0)) child++;
      const below = items[child] ?? 0;
      if (below >= value) break;
      items[i] = below;
      i = child;
    }
    items[i] = value;
    return least;
  }
}
