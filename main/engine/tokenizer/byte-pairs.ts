/**
 * Byte-pair merging (Sennrich, Haddow, Birch 2016, as in GPT-2): of all neighbouring parts whose join is a token, the
 * one with the lowest rank is joined, the leftmost first, until none is left. Ordinary pieces are a few bytes long and
 * are looked through again for each join; for long ones a heap makes n bytes cost n log n, so that a megabyte without a
 * break takes a second, not a week.
 */
export interface PairVocabulary {
  /** The rank of joining two tokens, or -1 where they are not joined: the lower, the sooner. */
  join(left: number, right: number): number;
  /** The token that each rank makes; null where that is the rank itself, as in GPT-2's table. */
  readonly made: ArrayLike<number> | null;
}

/** Up to this many bytes, looking through all parts is quicker than a heap. */
const FEW = 96;

/** The ids of one piece. @param tokens what it begins as, mostly a token for each byte: the first `length` of these */
export function mergePairs(tokens: ArrayLike<number>, length: number, vocabulary: PairVocabulary): Uint32Array {
  return length <= FEW ? mergeFew(tokens, length, vocabulary) : mergeMany(tokens, length, vocabulary);
}

const parts = new Int32Array(FEW);
/** The id of each part joined with the next, or -1. */
const joined = new Int32Array(FEW);

function mergeFew(tokens: ArrayLike<number>, length: number, vocabulary: PairVocabulary): Uint32Array {
  const { made } = vocabulary;
  let count = length;
  for (let i = 0; i < count; i++) parts[i] = tokens[i] ?? 0;
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
    const joint = made === null ? least : (made[least] ?? 0);
    parts[at] = joint;
    for (let i = at + 1; i < count; i++) {
      parts[i] = parts[i + 1] ?? 0;
      joined[i] = joined[i + 1] ?? -1;
    }
    if (at + 1 < count) joined[at] = vocabulary.join(joint, parts[at + 1] ?? 0);
    if (at > 0) joined[at - 1] = vocabulary.join(parts[at - 1] ?? 0, joint);
  }
  return new Uint32Array(parts.subarray(0, count));
}

const TWO_32 = 2 ** 32;

function mergeMany(tokens: ArrayLike<number>, n: number, vocabulary: PairVocabulary): Uint32Array {
  const { made } = vocabulary;
  const ids = new Int32Array(n);
  for (let i = 0; i < n; i++) ids[i] = tokens[i] ?? 0;
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
    ids[i] = made === null ? rank : (made[rank] ?? 0);
    next[i] = end;
    previous[end] = i;
    ranks[other] = -1;
    consider(i);
    const before = previous[i] ?? -1;
    if (before >= 0) consider(before);
  }

  const out = new Uint32Array(n);
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
