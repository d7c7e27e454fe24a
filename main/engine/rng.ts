/**
 * Counter-based random numbers: each is a function of (seed, stream, step, index), so there is no state to save and a resumed run
 * draws what an uninterrupted one would have drawn. The function is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011). Its key is the seed (low, high); its counter is the block number (low, high), the step
 * (low) and one word of kind, stream and step (high). The kind keeps the functions below independent of each other.
 */

/** Purposes, with independent numbers for the same seed and step. Never renumber: results depend on it. */
export const streams = {
  init: 0,
  trainBatch: 1,
  dropout: 2,
  rewardBatch: 3,
  crossover: 4,
  rewardGeneration: 5,
  grpoPrompt: 6,
  grpoGeneration: 7,
  evaluationPrompt: 8,
  evaluationGeneration: 9,
  sample: 10,
  bootstrap: 11,
  shuffle: 12,
  pretrainingBatch: 13,
  judgement: 14,
  rating: 15,
  progress: 16,
  voicePrompt: 17,
  voiceGeneration: 18,
} as const;

/** The most streams that fit into the counter. */
export const MAX_STREAMS = 512;

const KIND_WIDE = 0; // uniform, uniformInt: two words a value
const KIND_NARROW = 1; // uniforms: one word a value
const KIND_NORMAL = 2; // normals: four words a pair
const KIND_PERMUTATION = 3; // permutation: two words a value

const TWO_32 = 2 ** 32;
const TWO_21 = 2 ** 21; // safe integers have 53 bits: 32 low, 21 high
const M0 = 0xd2511f53;
const M1 = 0xcd9e8d57;
const W0 = 0x9e3779b9; // golden ratio
const W1 = 0xbb67ae85; // sqrt(3) - 1

/** The last block, reused so that bulk functions allocate nothing. */
const words = new Uint32Array(4);

/** Philox4x32-10 of counter (c0..c3) under key (k0, k1), into `words`. Arguments are taken modulo 2^32. */
function philox(c0: number, c1: number, c2: number, c3: number, k0: number, k1: number): void {
  for (let round = 0; round < 10; round++) {
    // The high word of a 32 x 32 product from 16-bit halves: each partial sum stays below 2^32.
    const a0 = c0 & 0xffff;
    const a1 = c0 >>> 16;
    const t0 = Math.imul(a1, M0 & 0xffff) + (Math.imul(a0, M0 & 0xffff) >>> 16);
    const u0 = Math.imul(a0, M0 >>> 16) + (t0 & 0xffff);
    const high0 = (Math.imul(a1, M0 >>> 16) + (t0 >>> 16) + (u0 >>> 16)) | 0;
    const b0 = c2 & 0xffff;
    const b1 = c2 >>> 16;
    const t1 = Math.imul(b1, M1 & 0xffff) + (Math.imul(b0, M1 & 0xffff) >>> 16);
    const u1 = Math.imul(b0, M1 >>> 16) + (t1 & 0xffff);
    const high1 = (Math.imul(b1, M1 >>> 16) + (t1 >>> 16) + (u1 >>> 16)) | 0;
    const low0 = Math.imul(c0, M0);
    const low1 = Math.imul(c2, M1);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + W0) | 0;
    k1 = (k1 + W1) | 0;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

/** The block function on 32-bit words, for known-answer tests. */
export function philox4x32(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
): [number, number, number, number] {
  philox(...counter, ...key);
  const [a = 0, b = 0, c = 0, d = 0] = words;
  return [a, b, c, d];
}

function checkPlace(seed: number, stream: number, step: number, index: number): void {
  const fits = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  if (!fits(seed) || !fits(step) || !fits(index) || !fits(stream) || stream >= MAX_STREAMS) {
    throw new RangeError(
      `random numbers need whole numbers from 0 (stream below ${String(MAX_STREAMS)}); got seed ${String(seed)}, ` +
        `stream ${String(stream)}, step ${String(step)}, index ${String(index)}`,
    );
  }
}

function fill(seed: number, kind: number, stream: number, step: number, block: number): void {
  const stepHigh = Math.floor(step / TWO_32);
  const last = (kind * MAX_STREAMS + stream) * TWO_21 + stepHigh; // 2 + 9 + 21 bits
  // ToInt32 (the `|` below) is exact modulo 2^32 for every safe integer.
  philox(block | 0, Math.floor(block / TWO_32), step | 0, last | 0, seed | 0, Math.floor(seed / TWO_32));
}

/** 53 bits of `words[first]`, `words[first + 1]` as a number in [0, 1). */
function wide(first: 0 | 2): number {
  const high = (words[first] ?? 0) >>> 5; // 27 bits
  const low = (words[first + 1] ?? 0) >>> 6; // 26 bits
  return (high * 67108864 + low) / 9007199254740992;
}

function wideAt(seed: number, kind: number, stream: number, step: number, index: number): number {
  fill(seed, kind, stream, step, Math.floor(index / 2));
  return wide(index % 2 === 0 ? 0 : 2);
}

/** One number in [0, 1) with 53 random bits. @param seed, step, index whole numbers in [0, 2^53). @throws RangeError */
export function uniform(seed: number, stream: number, step: number, index: number): number {
  checkPlace(seed, stream, step, index);
  return wideAt(seed, KIND_WIDE, stream, step, index);
}

/**
 * A whole number in [0, n): floor(u * n) of `uniform` at the same index, so do not draw both. Probabilities are off by at most 2^-53.
 * @throws RangeError when n is not a whole number in [1, 2^53)
 */
export function uniformInt(seed: number, stream: number, step: number, index: number, n: number): number {
  if (!Number.isSafeInteger(n) || n < 1) throw new RangeError(`uniformInt needs a whole n from 1, got ${String(n)}`);
  return Math.floor(uniform(seed, stream, step, index) * n);
}

/** Fills `into` with `uniformInt` from `firstIndex` on, in half the time. @throws RangeError when n is not in [1, 2^32] */
export function uniformInts(
  seed: number,
  stream: number,
  step: number,
  firstIndex: number,
  n: number,
  into: Uint32Array,
): void {
  if (!Number.isSafeInteger(n) || n < 1 || n > TWO_32)
    throw new RangeError(`uniformInts needs a whole n from 1 to 2^32, got ${String(n)}`);
  checkPlace(seed, stream, step, firstIndex + into.length);
  const skip = firstIndex % 2;
  let block = (firstIndex - skip) / 2;
  for (let at = -skip; at < into.length; at += 2, block++) {
    fill(seed, KIND_WIDE, stream, step, block);
    // Writes outside a typed array do nothing; the first and last block may stick out.
    into[at] = Math.floor(wide(0) * n);
    into[at + 1] = Math.floor(wide(2) * n);
  }
}

/** `count` numbers in [0, 1 - 2^-24] from `firstIndex` on, multiples of 2^-24 (exact in float32); not those of `uniform`. */
export function uniforms(seed: number, stream: number, step: number, firstIndex: number, count: number): Float32Array {
  checkPlace(seed, stream, step, firstIndex + count);
  const values = new Float32Array(count);
  const skip = firstIndex % 4;
  let block = (firstIndex - skip) / 4;
  for (let at = -skip; at < count; at += 4, block++) {
    fill(seed, KIND_NARROW, stream, step, block);
    for (let lane = 0; lane < 4; lane++) values[at + lane] = ((words[lane] ?? 0) >>> 8) / 16777216;
  }
  return values;
}

/** `count` standard normal numbers from `firstIndex` on: Box-Muller in float64 on 53-bit uniforms, rounded to float32. */
export function normals(seed: number, stream: number, step: number, firstIndex: number, count: number): Float32Array {
  checkPlace(seed, stream, step, firstIndex + count);
  const values = new Float32Array(count);
  const skip = firstIndex % 2;
  let block = (firstIndex - skip) / 2;
  for (let at = -skip; at < count; at += 2, block++) {
    fill(seed, KIND_NORMAL, stream, step, block);
    const radius = Math.sqrt(-2 * Math.log(1 - wide(0))); // 1 - u is in (0, 1]: the logarithm is finite
    const angle = 2 * Math.PI * wide(2);
    values[at] = radius * Math.cos(angle);
    values[at + 1] = radius * Math.sin(angle);
  }
  return values;
}

/** The numbers 0 … n - 1 in random order (Durstenfeld 1964). @param n in [0, 2^32) */
export function permutation(seed: number, stream: number, step: number, n: number): Uint32Array {
  checkPlace(seed, stream, step, n);
  if (n >= TWO_32) throw new RangeError(`permutation needs n below 2^32, got ${String(n)}`);
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(wideAt(seed, KIND_PERMUTATION, stream, step, i) * (i + 1));
    const last = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = last;
  }
  return order;
}
