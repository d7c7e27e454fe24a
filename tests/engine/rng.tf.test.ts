/** Counter-based randomness: Random123's known answers, ranges, independence of places, and shape of the distributions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_STREAMS,
  normals,
  permutation,
  philox4x32,
  streams,
  uniform,
  uniformInt,
  uniformInts,
  uniforms,
} from '../../main/engine/rng.js';

const whole = fc.oneof(fc.nat(100), fc.maxSafeNat());
const stream = fc.constantFrom(...Object.values(streams));

describe('philox4x32-10', () => {
  // Random123's kat_vectors file.
  it.each([
    [
      [0, 0, 0, 0],
      [0, 0],
      [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    ],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ] as const)('counter %j, key %j', (counter, key, expected) => {
    expect(philox4x32(counter, key)).toEqual(expected);
  });

  it('multiplies 32 by 32 bits exactly: agrees with BigInt arithmetic', () => {
    const mask = 0xffffffffn;
    const slow = (counter: readonly number[], key: readonly number[]): number[] => {
      let [c0 = 0n, c1 = 0n, c2 = 0n, c3 = 0n] = counter.map(BigInt);
      let [k0 = 0n, k1 = 0n] = key.map(BigInt);
      for (let round = 0; round < 10; round++) {
        const p0 = c0 * 0xd2511f53n;
        const p1 = c2 * 0xcd9e8d57n;
        [c0, c1, c2, c3] = [(p1 >> 32n) ^ c1 ^ k0, p1 & mask, (p0 >> 32n) ^ c3 ^ k1, p0 & mask];
        k0 = (k0 + 0x9e3779b9n) & mask;
        k1 = (k1 + 0xbb67ae85n) & mask;
      }
      return [c0, c1, c2, c3].map(Number);
    };
    const word = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), fc.tuple(word, word), (counter, key) => {
        expect(philox4x32(counter, key)).toEqual(slow(counter, key));
      }),
    );
  });
});

describe('places', () => {
  it('streams are numbered apart and fit the counter', () => {
    const numbers = Object.values(streams);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.max(...numbers)).toBeLessThan(MAX_STREAMS);
  });

  it('the numbers never change from one version to the next', () => {
    expect(uniform(1337, streams.init, 0, 0)).toBe(philoxWide([0, 0, 0, 0], [1337, 0], 0));
    expect(uniform(2 ** 40 + 5, streams.shuffle, 2 ** 33 + 7, 2 ** 35 + 1)).toBe(
      philoxWide([2 ** 34 % 2 ** 32, 4, 7, streams.shuffle * 2 ** 21 + 2], [5, 256], 2),
    );
    expect(Array.from(uniforms(1337, streams.dropout, 3, 0, 4))).toEqual(
      philox4x32([0, 0, 3, (512 + streams.dropout) * 2 ** 21], [1337, 0]).map((word) => (word >>> 8) / 2 ** 24),
    );
  });

  it('a change of seed, stream, step or index changes the value', () => {
    const base = uniform(1, 2, 3, 4);
    const others = [
      uniform(2, 2, 3, 4),
      uniform(1 + 2 ** 32, 2, 3, 4),
      uniform(1, 3, 3, 4),
      uniform(1, 2, 4, 4),
      uniform(1, 2, 3 + 2 ** 32, 4),
      uniform(1, 2, 3, 5),
      uniform(1, 2, 3, 4 + 2 ** 33),
    ];
    expect(new Set([base, ...others]).size).toBe(others.length + 1);
  });

  it('bulk values belong to their place, wherever the call starts', () => {
    fc.assert(
      fc.property(whole, stream, whole, fc.nat(2 ** 40), fc.nat(40), fc.nat(40), (seed, from, step, first, skip, n) => {
        const most = skip + n;
        expect(uniforms(seed, from, step, first + skip, n)).toEqual(
          uniforms(seed, from, step, first, most).slice(skip),
        );
        expect(normals(seed, from, step, first + skip, n)).toEqual(normals(seed, from, step, first, most).slice(skip));
        const wholes = new Uint32Array(n);
        uniformInts(seed, from, step, first + skip, 1 + most, wholes);
        expect(Array.from(wholes)).toEqual(
          Array.from(wholes, (_, at) => uniformInt(seed, from, step, first + skip + at, 1 + most)),
        );
      }),
    );
  });

  it('rejects what is not a whole number in range', () => {
    expect(() => uniform(-1, 0, 0, 0)).toThrow(RangeError);
    expect(() => uniform(0.5, 0, 0, 0)).toThrow(RangeError);
    expect(() => uniform(0, MAX_STREAMS, 0, 0)).toThrow(RangeError);
    expect(() => uniform(0, 0, 2 ** 53, 0)).toThrow(RangeError);
    expect(() => uniforms(0, 0, 0, Number.NaN, 1)).toThrow(RangeError);
    expect(() => uniformInt(0, 0, 0, 0, 0)).toThrow(RangeError);
    expect(() => uniformInts(0, 0, 0, 0, 2 ** 32 + 1, new Uint32Array(1))).toThrow(RangeError);
    expect(() => uniformInts(0, 0, 0, 2 ** 53 - 1, 2, new Uint32Array(1))).toThrow(RangeError);
    expect(() => permutation(0, 0, 0, 2 ** 32)).toThrow(RangeError);
  });
});

describe('distributions', () => {
  const count = 200_000;

  it('uniform and uniforms stay in [0, 1), also after rounding to float32', () => {
    fc.assert(
      fc.property(whole, stream, whole, fc.nat(2 ** 40), (seed, from, step, index) => {
        const one = uniform(seed, from, step, index);
        expect(one >= 0 && one < 1).toBe(true);
        for (const value of uniforms(seed, from, step, index, 9)) expect(value >= 0 && value < 1).toBe(true);
      }),
    );
    // The largest word there is still gives a float32 below 1.
    expect(Math.fround((0xffffffff >>> 8) / 16777216)).toBeLessThan(1);
  });

  it('uniforms fill 64 bins evenly (chi-squared, p > 1e-6)', () => {
    const bins = new Array<number>(64).fill(0);
    for (const value of uniforms(7, streams.dropout, 11, 3, count)) {
      const bin = Math.floor(value * 64);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const expected = count / 64;
    const chiSquared = bins.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0);
    expect(chiSquared).toBeLessThan(130); // 63 degrees of freedom
    expect(chiSquared).toBeGreaterThan(20);
  });

  it('uniformInt is even over a range that is no power of two', () => {
    const seen = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) {
      const value = uniformInt(3, streams.trainBatch, 0, i, 7);
      seen[value] = (seen[value] ?? 0) + 1;
    }
    expect(seen).toHaveLength(7);
    for (const times of seen) expect(Math.abs(times - 10_000)).toBeLessThan(500); // 5 standard deviations
  });

  it('uniformInt stays below n at the ends of its range', () => {
    fc.assert(
      fc.property(whole, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (index, n) => {
        const value = uniformInt(1, 0, 0, index, n);
        expect(Number.isInteger(value) && value >= 0 && value < n).toBe(true);
      }),
    );
    // The largest uniform times any n rounds to below n.
    for (const n of [1, 3, 5, 7, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER]) {
      expect(Math.floor((1 - 2 ** -53) * n)).toBeLessThan(n);
    }
  });

  it('normals have the moments of the standard normal', () => {
    const values = normals(5, streams.init, 0, 0, count);
    const moment = (power: number): number => values.reduce((sum, value) => sum + value ** power, 0) / count;
    expect(Math.abs(moment(1))).toBeLessThan(5 / Math.sqrt(count));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(5 * Math.sqrt(2 / count));
    expect(Math.abs(moment(3))).toBeLessThan(5 * Math.sqrt(15 / count));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(5 * Math.sqrt(96 / count));
    const pairs = values.reduce((sum, value, i) => (i % 2 === 0 ? sum + value * (values[i + 1] ?? 0) : sum), 0);
    expect(Math.abs(pairs / (count / 2))).toBeLessThan(5 / Math.sqrt(count / 2)); // the two of a pair do not correlate
  });

  it('a permutation holds each number once, and every order is as likely', () => {
    const order = permutation(1, streams.shuffle, 0, 1000);
    expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    expect(permutation(1, streams.shuffle, 0, 1000)).toEqual(order);
    expect(permutation(1, streams.shuffle, 1, 1000)).not.toEqual(order);
    expect(permutation(1, streams.shuffle, 0, 0)).toHaveLength(0);
    const orders = new Map<string, number>();
    for (let step = 0; step < 24_000; step++) {
      const key = permutation(9, streams.shuffle, step, 4).join('');
      orders.set(key, (orders.get(key) ?? 0) + 1);
    }
    expect(orders.size).toBe(24);
    for (const times of orders.values()) expect(Math.abs(times - 1000)).toBeLessThan(160); // 5 standard deviations
  });
});

/** `uniform` written out from the bare block function. */
function philoxWide(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
  first: 0 | 2,
): number {
  const block = philox4x32(counter, key);
  return (((block[first] ?? 0) >>> 5) * 2 ** 26 + ((block[first + 1] ?? 0) >>> 6)) / 2 ** 53;
}
