/** Random damage, each a function of (seed, subject, case) alone, so that a case can be made again from its number. */
import { uniformInt } from '../../main/engine/rng.js';

/** Random numbers of one case, in order. The engine's streams end below 256. */
export class Draw {
  private index = 0;

  constructor(
    private readonly seed: number,
    private readonly subject: number,
    private readonly number: number,
  ) {}

  /** A whole number in [0, n). */
  below(n: number): number {
    return uniformInt(this.seed, 256 + this.subject, this.number, this.index++, n);
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to draw from');
    return value;
  }
}

/** Numbers at which counts, lengths and signs change their meaning. */
const limits = [
  ...[0n, 1n, 2n, 127n, 128n, 255n, 256n, 32767n, 32768n, 65535n, 65536n, 1n << 24n],
  ...[(1n << 31n) - 1n, 1n << 31n, (1n << 32n) - 1n, 1n << 32n, (1n << 53n) - 1n, 1n << 53n, (1n << 63n) - 1n],
  ...[1n << 63n, (1n << 64n) - 1n],
];

type Change = (bytes: Buffer, draw: Draw, words: readonly Buffer[], other: Buffer) => Buffer;

const somewhere = (bytes: Buffer, draw: Draw): number => draw.below(bytes.length + 1);
/** Mostly a few bytes, at times many. */
const someLength = (bytes: Buffer, draw: Draw): number => draw.below(draw.of([3, 9, 33, 257, bytes.length + 1]) + 1);
const inserted = (bytes: Buffer, at: number, piece: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
const overwritten = (bytes: Buffer, at: number, piece: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + piece.length)]);

const changes: readonly Change[] = [
  (bytes, draw) => {
    if (bytes.length > 0) {
      const at = draw.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << draw.below(8));
    }
    return bytes;
  },
  (bytes, draw) => overwritten(bytes, somewhere(bytes, draw), Uint8Array.of(draw.of([0, 1, 0x7f, 0x80, 0xff]))),
  (bytes, draw) => overwritten(bytes, somewhere(bytes, draw), Uint8Array.of(draw.below(256))),
  (bytes, draw) => overwritten(bytes, somewhere(bytes, draw), numberBytes(draw)),
  (bytes, draw) => inserted(bytes, somewhere(bytes, draw), numberBytes(draw)),
  (bytes, draw) => inserted(bytes, somewhere(bytes, draw), Buffer.alloc(someLength(bytes, draw), draw.below(256))),
  (bytes, draw) => {
    const at = somewhere(bytes, draw);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + someLength(bytes, draw))]);
  },
  (bytes, draw) => {
    const from = somewhere(bytes, draw);
    return inserted(bytes, somewhere(bytes, draw), bytes.subarray(from, from + someLength(bytes, draw)));
  },
  (bytes, draw, words) => (words.length > 0 ? inserted(bytes, somewhere(bytes, draw), draw.of(words)) : bytes),
  (bytes, draw, words) => (words.length > 0 ? overwritten(bytes, somewhere(bytes, draw), draw.of(words)) : bytes),
  (bytes, draw, _, other) =>
    Buffer.concat([bytes.subarray(0, somewhere(bytes, draw)), other.subarray(somewhere(other, draw))]),
  (bytes, draw) => writtenNumber(bytes, draw),
];

function numberBytes(draw: Draw): Buffer {
  const value = draw.of(limits) + BigInt(draw.below(3)) - 1n;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  const piece = bytes.subarray(0, draw.of([1, 2, 4, 8]));
  return draw.below(4) === 0 ? Buffer.from(piece).reverse() : piece;
}

/** A number written in digits becomes another. */
function writtenNumber(bytes: Buffer, draw: Draw): Buffer {
  const places = [
    ...bytes
      .subarray(0, 1 << 14)
      .toString('latin1')
      .matchAll(/\d+/g),
  ];
  if (places.length === 0) return bytes;
  const place = draw.of(places);
  const text = `${draw.of(['', '', '-', '1e', '0x', '0.'])}${String(draw.of(limits))}`;
  return Buffer.concat([
    bytes.subarray(0, place.index),
    Buffer.from(text),
    bytes.subarray(place.index + place[0].length),
  ]);
}

/** One to eight changes; the result is never much larger than the file. */
export function mutated(file: Buffer, other: Buffer, words: readonly Buffer[], draw: Draw): Buffer {
  let bytes: Buffer = Buffer.from(file);
  const count = 1 + draw.below(draw.of([1, 2, 4, 8]));
  for (let i = 0; i < count; i++) bytes = draw.of(changes)(bytes, draw, words, other);
  return bytes.subarray(0, 2 * file.length + 4096);
}
