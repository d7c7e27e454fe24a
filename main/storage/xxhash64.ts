/**
 * XXH64, the checksum at the end of a Zstandard frame, of bytes that come in pieces. JavaScript has no 64-bit whole
 * numbers that are quick, so that each is a pair of 32-bit halves here. (xxHash, doc/xxhash_spec.md; RFC 8878, 3.1.1.)
 */

type Pair = readonly [low: number, high: number];

const P1: Pair = [0x85ebca87, 0x9e3779b1];
const P2: Pair = [0x27d4eb4f, 0xc2b2ae3d];
const P3: Pair = [0x9e3779f9, 0x165667b1];
const P4: Pair = [0xc2b2ae63, 0x85ebca77];
const P5: Pair = [0x165667c5, 0x27d4eb2f];
const STRIPE = 32;

/** The number that the functions below work on. */
let low = 0;
let high = 0;

function set(pair: Pair): void {
  [low, high] = pair;
}

function add(otherLow: number, otherHigh: number): void {
  const sum = (low >>> 0) + (otherLow >>> 0);
  high = (high + otherHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
  low = sum | 0;
}

function multiply([otherLow, otherHigh]: Pair): void {
  const [a0, a1, b0, b1] = [low & 0xffff, low >>> 16, otherLow & 0xffff, otherLow >>> 16];
  // Each partial sum stays below 2^53, and its upper half is taken before it is cut to 32 bits.
  const first = (Math.imul(a1, b0) >>> 0) + (Math.imul(a0, b0) >>> 16);
  const second = (Math.imul(a0, b1) >>> 0) + (first % 0x10000);
  const carried = (Math.imul(a1, b1) >>> 0) + Math.floor(first / 0x10000) + Math.floor(second / 0x10000);
  high = (carried + Math.imul(low, otherHigh) + Math.imul(high, otherLow)) | 0;
  low = Math.imul(low, otherLow);
}

function rotate(by: number): void {
  const [oldLow, oldHigh] = by < 32 ? [low, high] : [high, low];
  const n = by % 32;
  low = (oldLow << n) | (oldHigh >>> (32 - n));
  high = (oldHigh << n) | (oldLow >>> (32 - n));
}

function xor(otherLow: number, otherHigh: number): void {
  low ^= otherLow;
  high ^= otherHigh;
}

/** The number and itself shifted to the right. */
function mixShifted(by: number): void {
  if (by >= 32) xor(high >>> (by - 32), 0);
  else xor((low >>> by) | (high << (32 - by)), high >>> by);
}

export class XxHash64 {
  /** Four sums, with seed 0. */
  private readonly lanes: [number, number][];
  private readonly held = Buffer.alloc(STRIPE);
  private heldBytes = 0;
  private total = 0;

  constructor() {
    set(P1);
    add(...P2);
    const first: [number, number] = [low, high];
    set([0, 0]);
    // 0 - P1, by two's complement.
    add(~P1[0] + 1, ~P1[1] + (P1[0] === 0 ? 1 : 0));
    this.lanes = [first, [...P2], [0, 0], [low, high]];
  }

  update(bytes: Buffer): void {
    this.total += bytes.length;
    let at = 0;
    if (this.heldBytes > 0) {
      at = bytes.copy(this.held, this.heldBytes, 0, STRIPE - this.heldBytes);
      this.heldBytes += at;
      if (this.heldBytes < STRIPE) return;
      this.stripe(this.held, 0);
    }
    for (; at + STRIPE <= bytes.length; at += STRIPE) this.stripe(bytes, at);
    this.heldBytes = bytes.copy(this.held, 0, at);
  }

  /** The lower 32 bits of the sum, which is what a frame keeps. */
  digest32(): number {
    if (this.total < STRIPE) set(P5);
    else this.combine();
    add(this.total | 0, Math.floor(this.total / 2 ** 32));
    let at = 0;
    for (; at + 8 <= this.heldBytes; at += 8) {
      const before: Pair = [low, high];
      set([this.held.readInt32LE(at), this.held.readInt32LE(at + 4)]);
      multiply(P2);
      rotate(31);
      multiply(P1);
      xor(...before);
      rotate(27);
      multiply(P1);
      add(...P4);
    }
    if (at + 4 <= this.heldBytes) {
      const before: Pair = [low, high];
      set([this.held.readInt32LE(at), 0]);
      multiply(P1);
      xor(...before);
      rotate(23);
      multiply(P2);
      add(...P3);
      at += 4;
    }
    for (; at < this.heldBytes; at++) {
      const before: Pair = [low, high];
      set([this.held[at] ?? 0, 0]);
      multiply(P5);
      xor(...before);
      rotate(11);
      multiply(P1);
    }
    mixShifted(33);
    multiply(P2);
    mixShifted(29);
    multiply(P3);
    mixShifted(32);
    return low >>> 0;
  }

  private stripe(bytes: Buffer, at: number): void {
    this.lanes.forEach((lane, i) => {
      set([bytes.readInt32LE(at + 8 * i), bytes.readInt32LE(at + 8 * i + 4)]);
      this.round(lane);
    });
  }

  /** Takes the current number into a lane. */
  private round(lane: [number, number]): void {
    multiply(P2);
    add(...lane);
    rotate(31);
    multiply(P1);
    lane[0] = low;
    lane[1] = high;
  }

  private combine(): void {
    let sum: Pair = [0, 0];
    this.lanes.forEach((lane, i) => {
      set(lane);
      rotate([1, 7, 12, 18][i] ?? 0);
      add(...sum);
      sum = [low, high];
    });
    for (const lane of this.lanes) {
      set(lane);
      multiply(P2);
      rotate(31);
      multiply(P1);
      xor(...sum);
      multiply(P1);
      add(...P4);
      sum = [low, high];
    }
    set(sum);
  }
}
