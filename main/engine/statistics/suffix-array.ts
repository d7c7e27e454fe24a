/**
 * Suffix arrays in linear time by SA-IS (Nong, Zhang & Chan, "Two efficient algorithms for linear time suffix array construction",
 * IEEE Transactions on Computers 2011), about 9 bytes a token. Used to find text that a model copied from its training text.
 */
const EMPTY = -1;

/** The starts of all suffixes of `text` in sorted order. @param text whole numbers in [0, alphabet) */
export function suffixArray(text: ArrayLike<number>, alphabet: number): Int32Array {
  // An end mark smaller than every symbol.
  const marked = new Int32Array(text.length + 1);
  for (let i = 0; i < text.length; i++) marked[i] = (text[i] ?? 0) + 1;
  return sortSuffixes(marked, alphabet + 1).subarray(1);
}

/** `s` ends in a 0 that occurs nowhere else. */
function sortSuffixes(s: Int32Array, alphabet: number): Int32Array {
  const n = s.length;
  const sa = new Int32Array(n).fill(EMPTY);
  if (n === 1) {
    sa[0] = 0;
    return sa;
  }
  const at = (i: number): number => s[i] as number;
  const isSmall = smallSuffixes(s);
  const isLms = (i: number): boolean => i > 0 && isSmall[i] === 1 && isSmall[i - 1] === 0;
  const sizes = new Int32Array(alphabet);
  for (let i = 0; i < n; i++) sizes[at(i)] = (sizes[at(i)] as number) + 1;

  // First pass: sorts the LMS substrings by inducing from their unsorted starts.
  let tails = bucketEnds(sizes);
  for (let i = n - 1; i > 0; i--) {
    if (!isLms(i)) continue;
    const place = (tails[at(i)] as number) - 1;
    tails[at(i)] = place;
    sa[place] = i;
  }
  induce(s, sa, isSmall, sizes);

  // Names them: equal substrings share a name, and names are ordered as the substrings are.
  let count = 0;
  for (let i = 0; i < n; i++) {
    const start = sa[i] as number;
    if (isLms(start)) sa[count++] = start;
  }
  const names = sa.subarray(count).fill(EMPTY); // no two LMS starts are neighbours, so start >> 1 is unique
  let name = 0;
  for (let i = 0, before = EMPTY; i < count; i++) {
    const start = sa[i] as number;
    if (before !== EMPTY && !sameSubstring(s, isLms, before, start)) name++;
    names[start >> 1] = name;
    before = start;
  }
  const distinct = count === 0 ? 0 : name + 1;

  // Orders the LMS suffixes by their names if these are unique, else by sorting the text of names.
  const starts = new Int32Array(count);
  const reduced = new Int32Array(count);
  for (let i = 1, k = 0; i < n; i++) {
    if (!isLms(i)) continue;
    starts[k] = i;
    reduced[k++] = names[i >> 1] as number;
  }
  const order = distinct === count ? inverse(reduced) : sortSuffixes(reduced, distinct);

  // Second pass: the sorted LMS suffixes induce all others.
  sa.fill(EMPTY);
  tails = bucketEnds(sizes);
  for (let i = count - 1; i >= 0; i--) {
    const start = starts[order[i] as number] as number;
    const place = (tails[at(start)] as number) - 1;
    tails[at(start)] = place;
    sa[place] = start;
  }
  induce(s, sa, isSmall, sizes);
  return sa;
}

/** 1 where a suffix is smaller than the one after it. */
function smallSuffixes(s: Int32Array): Uint8Array {
  const small = new Uint8Array(s.length);
  small[s.length - 1] = 1;
  for (let i = s.length - 2; i >= 0; i--) {
    const here = s[i] as number;
    const next = s[i + 1] as number;
    small[i] = here < next || (here === next && small[i + 1] === 1) ? 1 : 0;
  }
  return small;
}

function bucketEnds(sizes: Int32Array): Int32Array {
  const ends = new Int32Array(sizes.length);
  for (let c = 0, total = 0; c < sizes.length; c++) {
    total += sizes[c] as number;
    ends[c] = total;
  }
  return ends;
}

/** Induces larger-than-next suffixes, left to right, then smaller ones, from LMS suffixes at their buckets' ends. */
function induce(s: Int32Array, sa: Int32Array, isSmall: Uint8Array, sizes: Int32Array): void {
  const heads = bucketEnds(sizes);
  for (let c = 0; c < sizes.length; c++) heads[c] = (heads[c] as number) - (sizes[c] as number);
  for (let i = 0; i < sa.length; i++) {
    const before = (sa[i] as number) - 1;
    if (before < 0 || isSmall[before] === 1) continue;
    const c = s[before] as number;
    const place = heads[c] as number;
    heads[c] = place + 1;
    sa[place] = before;
  }
  const tails = bucketEnds(sizes);
  for (let i = sa.length - 1; i >= 0; i--) {
    const before = (sa[i] as number) - 1;
    if (before < 0 || isSmall[before] === 0) continue;
    const c = s[before] as number;
    const place = (tails[c] as number) - 1;
    tails[c] = place;
    sa[place] = before;
  }
}

/** Whether the LMS substrings at a and b, up to and including the next LMS position, are equal. */
function sameSubstring(s: Int32Array, isLms: (i: number) => boolean, a: number, b: number): boolean {
  for (let k = 0; ; k++) {
    if (s[a + k] !== s[b + k]) return false; // the unique end mark stops every comparison
    if (k > 0 && (isLms(a + k) || isLms(b + k))) return isLms(a + k) && isLms(b + k);
  }
}

function inverse(ranks: Int32Array): Int32Array {
  const order = new Int32Array(ranks.length);
  for (let i = 0; i < ranks.length; i++) order[ranks[i] as number] = i;
  return order;
}

/** The length of the longest match in `text` for each start in `query`, by binary search. @param order the suffix array */
export function matchLengths(text: ArrayLike<number>, order: Int32Array, query: ArrayLike<number>): Uint32Array {
  const lengths = new Uint32Array(query.length);
  for (let from = 0; from < query.length; from++) {
    let [low, high] = [0, order.length]; // suffixes below `low` are smaller than the query, from `high` on larger
    let longest = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = order[middle] as number;
      let same = 0;
      while (from + same < query.length && query[from + same] === text[start + same]) same++;
      longest = Math.max(longest, same); // the search passes the neighbours of the insertion point
      if (from + same === query.length) break;
      // A shorter suffix is smaller.
      if ((text[start + same] ?? EMPTY) < (query[from + same] as number)) low = middle + 1;
      else high = middle;
    }
    lengths[from] = longest;
  }
  return lengths;
}
