/** Converts quantised blocks to float32 with the bits of Python's `gguf`. (ggml-common.h; gguf-py's quants.py) */
import { everyHalf } from '../number-formats.js';
import { formNamed, type TensorFormName } from './gguf-types.js';

/** The neutral element of addition, also for the sign of zero. */
const NONE = -0;

/** Writes the numbers of the block that begins at byte `at` to `out`, from index `to` on. */
type Block = (bytes: Uint8Array, at: number, out: Float32Array, to: number) => void;

type Quantised = Exclude<TensorFormName, 'F32' | 'F16' | 'BF16'>;

const blocks: Readonly<Record<Quantised, Block>> = {
  Q8_0: (bytes, at, out, to) => {
    const scale = half(bytes, at);
    for (let j = 0; j < 32; j++) out[to + j] = scale * signed(bytes[at + 2 + j] ?? 0);
  },
  Q4_0: halves(4, false),
  Q4_1: halves(4, true),
  Q5_0: halves(5, false),
  Q5_1: halves(5, true),
  Q4_K: groups(4),
  Q5_K: groups(5),
  Q6_K: groupsOfSix,
};

/** @param bytes whole blocks @param out has room for exactly their numbers */
export function dequantize(name: Quantised, bytes: Uint8Array, out: Float32Array): void {
  const { blockSize, blockBytes } = formNamed(name);
  for (let to = 0, at = 0; to < out.length; to += blockSize, at += blockBytes) blocks[name](bytes, at, out, to);
}

const half = (bytes: Uint8Array, at: number): number =>
  everyHalf()[(bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)] ?? 0;

const { fround } = Math;
const signed = (byte: number): number => (byte << 24) >> 24;

/** 32 numbers: the low halves of 16 bytes, then the high ones. The fifth bits come before them, in 4 bytes. */
function halves(bits: 4 | 5, hasLeast: boolean): Block {
  const shift = hasLeast ? 0 : -(2 ** (bits - 1));
  return (bytes, at, out, to) => {
    const scale = half(bytes, at);
    const least = hasLeast ? half(bytes, at + 2) : NONE;
    const fifths = at + (hasLeast ? 4 : 2);
    const from = fifths + (bits === 5 ? 4 : 0);
    for (let j = 0; j < 32; j++) {
      const byte = bytes[from + (j & 15)] ?? 0;
      const fifth = bits === 5 ? (((bytes[fifths + (j >> 3)] ?? 0) >> (j & 7)) & 1) << 4 : 0;
      out[to + j] = fround(scale * (((j < 16 ? byte & 15 : byte >> 4) | fifth) + shift)) + least;
    }
  };
}

/** The 6-bit scale of group `group` of 8, of the twelve bytes at `at`; that of its least value when `isLeast`. */
function groupScale(bytes: Uint8Array, at: number, group: number, isLeast: boolean): number {
  const own = at + (isLeast ? 4 : 0) + (group & 3);
  if (group < 4) return (bytes[own] ?? 0) & 63;
  const shared = bytes[at + 8 + (group & 3)] ?? 0;
  return (isLeast ? shared >> 4 : shared & 15) | (((bytes[own] ?? 0) >> 2) & 48);
}

/** 8 groups of 32, two of which share 32 bytes; the fifth bits of group g are bits g of 32 bytes before those. */
function groups(bits: 4 | 5): Block {
  return (bytes, at, out, to) => {
    const [scale, least] = [half(bytes, at), half(bytes, at + 2)];
    for (let group = 0; group < 8; group++) {
      const own = fround(scale * groupScale(bytes, at + 4, group, false));
      const ownLeast = fround(least * groupScale(bytes, at + 4, group, true));
      const from = at + (bits === 5 ? 48 : 16) + 32 * (group >> 1);
      for (let j = 0; j < 32; j++) {
        const low = ((bytes[from + j] ?? 0) >> (4 * (group & 1))) & 15;
        const fifth = bits === 5 ? (((bytes[at + 16 + j] ?? 0) >> group) & 1) << 4 : 0;
        out[to + 32 * group + j] = fround(own * (low | fifth)) - ownLeast;
      }
    }
  };
}

/** 16 groups of 16 with 8-bit scales; the low four bits as in halves of 128 numbers, the high two in 64 bytes. */
function groupsOfSix(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(bytes, at + 208);
  for (let row = 0; row < 8; row++) {
    const [part, quarter] = [row >> 2, row & 3];
    const low = at + 64 * part + 32 * (quarter & 1);
    const lowShift = 4 * (quarter >> 1);
    const high = at + 128 + 32 * part;
    for (let side = 0; side < 2; side++) {
      const own = fround(scale * signed(bytes[at + 192 + 2 * row + side] ?? 0));
      for (let j = 16 * side; j < 16 * side + 16; j++) {
        const value =
          (((bytes[low + j] ?? 0) >> lowShift) & 15) | ((((bytes[high + j] ?? 0) >> (2 * quarter)) & 3) << 4);
        out[to + 32 * row + j] = own * (value - 32);
      }
    }
  }
}
