/**
 * Byte-pair merging (Sennrich, Haddow, Birch 2016, as in GPT-2): of all neighbouring parts whose join is a token, the
 * one with the lowest rank is joined, the leftmost first, until none is left. Ordinary pieces are a few bytes long and
 * are looked through again for each join; for long ones a heap makes n bytes cost n log n, so that a megabyte without a
 * break takes a second, not a week.
 */
export interface BytePairVocabulary {
  /** The id of each single byte: every one must be a token. */
  readonly ofByte: ArrayLike<number>;
  /** The id, which is also the rank, of two tokens written as one, or -1 when that is no token. */
  join(left: number, right: number): number;
}

/** Up to this many bytes, looking through all parts is quicker than a heap. */
const FEW = 96;

/** The ids of one piece: the first `length` of some bytes. */
export function mergeBytePairs(bytes: Uint8Array, length: number, vocabulary: BytePairVocabulary): Uint16Array {
  return length <= FEW ? mergeFew(bytes, length, vocabulary) : mergeMany(bytes, length, vocabulary);
}

const parts = new Int32Array(FEW);
/** The id of each part joined with the next, or -1. */
const joined = new Int32Array(FEW);

function mergeFew(bytes: Uint8Array, length: number, vocabulary: BytePairVocabulary): Uint16Array {
  let count = length;
  for (let i = 0; i < count; i++) parts[i] = vocabulary.ofByte[bytes[i] ?? 0] ?? 0;
  for (let i = 0; i + 1 < count; i++) joined[i] = vocabulary.join(parts[i] ?? 0, parts[i + 1] ?? 0);
  for (;;) {
    let at = -1;
    let least = 0x7fffffff;
    for (let i = 0; i + 1 < count; i++) {
      const rank = joined[i] ?? -1;
      if (rank < 0 || rank >= least) continue;
      at = i;
      least = rank;
    }
    if (at < 0) break;
    count--;
    parts[at] = least;
    for (let i = at + 1; i < count; i++) {
      parts[i] = parts[i + 1] ?? 0;
      joined[i] = joined[i + 1] ?? -1;
    }
    if (at + 1 < count) joined[at] = vocabulary.join(least, parts[at + 1] ?? 0);
    if (at > 0) joined[at - 1] = vocabulary.join(parts[at - 1] ?? 0, least);
  }
  return new Uint16Array(parts.subarray(0, count));
}

const TWO_32 = 2 ** 32;

function mergeMany(bytes: Uint8Array, n: number, vocabulary: BytePairVocabulary): Uint16Array {
  const ids = Int32Array.from(bytes.subarray(0, n), (byte) => vocabulary.ofByte[byte] ?? 0);
  /** Where the part after the one at i begins, and where the one before it does. */
  const next = new Int32Array(n + 1);
  const previous = new Int32Array(n + 1);
  /** The id of the part at i joined with the next, or -1: it cannot be joined, or is no longer a part. */
  const ranks = new Int32Array(n + 1).fill(-1);
  const heap = new MinHeap(3 * n);

  const consider = (i: number): void => {
    const other = next[i] ?? n;
    const rank = other < n ? vocabulary.join(ids[i] ?? 0, ids[other] ?? 0) : -1;
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
    const rank = (least - i) / TWO_32;
    if (ranks[i] !== rank) continue; // overtaken by another join
    const other = next[i] ?? n;
    const end = next[other] ?? n;
    ids[i] = rank;
    next[i] = end;
    previous[end] = i;
    ranks[other] = -1;
    consider(i);
    const before = previous[i] ?? -1;
    if (before >= 0) consider(before);
  }

  const out = new Uint16Array(n);
  let count = 0;
  for (let i = 0; i < n; i = next[i] ?? n) out[count++] = ids[i] ?? 0;
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
