/**
 * The two codes of Zstandard: finite state entropy, in which the state says both the symbol and how many bits lead to the
 * next state, and Huffman's. Bits are read from the end of a stream to its beginning. (RFC 8878, sections 4.1 and 4.2.)
 */

/** What is wrong with a packed file, in words. */
export class ZstdError extends Error {}

const highestBit = (value: number): number => 31 - Math.clz32(value);

/** Reads bits from the last byte to the first; its highest set bit only marks the end. */
export class BackwardBits {
  /** Bits that are left; below zero when more were read than there were, which then are zeros. */
  left: number;

  constructor(
    private readonly bytes: Buffer,
    private readonly begin: number,
    end: number,
  ) {
    const last = end > begin ? (bytes[end - 1] ?? 0) : 0;
    if (last === 0) throw new ZstdError('a stream of bits has no end');
    this.left = 8 * (end - begin - 1) + highestBit(last);
  }

  /** A number of up to 24 bits. */
  read(count: number): number {
    this.left -= count;
    return this.at(this.left, count);
  }

  /** The next bits without going past them. */
  peek(count: number): number {
    return this.at(this.left - count, count);
  }

  private at(position: number, count: number): number {
    if (position < 0) return position + count <= 0 ? 0 : this.at(0, position + count) << -position;
    const from = this.begin + (position >>> 3);
    const { bytes } = this;
    const word =
      (bytes[from] ?? 0) |
      ((bytes[from + 1] ?? 0) << 8) |
      ((bytes[from + 2] ?? 0) << 16) |
      ((bytes[from + 3] ?? 0) << 24);
    return (word >>> (position & 7)) & ((1 << count) - 1);
  }
}

export interface FseTable {
  readonly accuracy: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  /** What the bits are added to. */
  readonly bases: Uint16Array;
}

/** @param counts how many states each symbol has; -1 for one that is less likely than one state would say */
export function fseTable(counts: readonly number[], accuracy: number): FseTable {
  const size = 1 << accuracy;
  const symbols = new Uint8Array(size);
  const next = counts.map((count) => Math.max(count, count === -1 ? 1 : 0));
  let end = size;
  counts.forEach((count, symbol) => {
    if (count === -1) symbols[--end] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  counts.forEach((count, symbol) => {
    for (let i = 0; i < count; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= end);
    }
  });
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  symbols.forEach((symbol, state) => {
    const value = next[symbol] ?? 0;
    next[symbol] = value + 1;
    const count = accuracy - highestBit(value);
    bits[state] = count;
    bases[state] = (value << count) - size;
  });
  return { accuracy, symbols, bits, bases };
}

/** A table in which every state is the same symbol. */
export const constantTable = (symbol: number): FseTable => ({
  accuracy: 0,
  symbols: Uint8Array.of(symbol),
  bits: new Uint8Array(1),
  bases: new Uint16Array(1),
});

/**
 * A table as a file describes it, read forwards.
 * @returns the table, and where its description ends
 */
export function readFseTable(bytes: Buffer, begin: number, end: number, largestAccuracy: number): [FseTable, number] {
  let position = 8 * begin;
  const read = (count: number): number => {
    const from = position >>> 3;
    if (position + count > 8 * end) throw new ZstdError('a table ends too early');
    const word = (bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8) | ((bytes[from + 2] ?? 0) << 16);
    const value = (word >>> (position & 7)) & ((1 << count) - 1);
    position += count;
    return value;
  };
  /** As `read`; bits beyond the end are zeros when it turns out that they are not needed. */
  const peek = (count: number): number => {
    const available = Math.min(count, 8 * end - position);
    const value = read(available);
    position -= available;
    return value;
  };
  const accuracy = read(4) + 5;
  if (accuracy > largestAccuracy) throw new ZstdError(`a table of ${accuracy} bits`);
  const counts: number[] = [];
  let left = 1 << accuracy;
  while (left > 0) {
    const width = highestBit(left + 1) + 1;
    const half = (1 << (width - 1)) - 1;
    const threshold = (1 << width) - 2 - left;
    let value = peek(width);
    if ((value & half) < threshold) {
      value = read(width - 1);
    } else {
      read(width);
      if (value > half) value -= threshold;
    }
    const count = value - 1;
    left -= Math.abs(count);
    counts.push(count);
    for (let zeros = count === 0 ? 3 : 0; zeros === 3;) {
      zeros = read(2);
      for (let i = 0; i < zeros; i++) counts.push(0);
    }
    if (left < 0 || counts.length > 256) throw new ZstdError('a table does not add up');
  }
  return [fseTable(counts, accuracy), (position + 7) >>> 3];
}

export interface HuffmanTable {
  readonly bits: number;
  readonly symbols: Uint8Array;
  readonly lengths: Uint8Array;
}

const LONGEST_CODE = 11;

/** @returns the table, and where its description ends */
export function readHuffmanTable(bytes: Buffer, begin: number, end: number): [HuffmanTable, number] {
  const head = begin < end ? (bytes[begin] ?? 0) : -1;
  const size = head >= 128 ? (head - 126) >> 1 : head;
  const after = begin + 1 + size;
  if (head < 0 || after > end) throw new ZstdError('a table ends too early');
  const weights =
    head >= 128
      ? Array.from({ length: head - 127 }, (_, i) => ((bytes[begin + 1 + (i >> 1)] ?? 0) >> (i % 2 === 0 ? 4 : 0)) & 15)
      : packedWeights(bytes, begin + 1, after);
  return [huffmanTable(weights), after];
}

/** Two states take turns, until there are no bits left. */
function packedWeights(bytes: Buffer, begin: number, end: number): number[] {
  const [table, at] = readFseTable(bytes, begin, end, 6);
  const stream = new BackwardBits(bytes, at, end);
  const states = [stream.read(table.accuracy), stream.read(table.accuracy)];
  if (stream.left < 0) throw new ZstdError('a table ends too early');
  const weights: number[] = [];
  for (let turn = 0; weights.length < 255; turn ^= 1) {
    const state = states[turn] ?? 0;
    weights.push(table.symbols[state] ?? 0);
    states[turn] = (table.bases[state] ?? 0) + stream.read(table.bits[state] ?? 0);
    if (stream.left >= 0) continue;
    weights.push(table.symbols[states[turn ^ 1] ?? 0] ?? 0);
    return weights;
  }
  throw new ZstdError('a table has no end');
}

/** The last symbol's weight is not written: it is what is missing to a power of two. */
function huffmanTable(written: readonly number[]): HuffmanTable {
  const sum = written.reduce((total, weight) => total + (weight === 0 ? 0 : 2 ** (weight - 1)), 0);
  if (sum === 0 || written.length > 255 || sum >= 1 << LONGEST_CODE) throw new ZstdError('a table does not add up');
  const bits = highestBit(sum) + 1;
  const missing = (1 << bits) - sum;
  if ((missing & (missing - 1)) !== 0) throw new ZstdError('a table does not add up');
  const weights = [...written, highestBit(missing) + 1];
  const symbols = new Uint8Array(1 << bits);
  const lengths = new Uint8Array(1 << bits);
  let at = 0;
  for (let weight = 1; weight <= bits; weight++) {
    weights.forEach((own, symbol) => {
      if (own !== weight) return;
      const count = 1 << (weight - 1);
      symbols.fill(symbol, at, at + count);
      lengths.fill(bits + 1 - weight, at, at + count);
      at += count;
    });
  }
  return { bits, symbols, lengths };
}

/** Decodes one stream, which must have exactly as many symbols as there is room for. */
export function readHuffman(bytes: Buffer, begin: number, end: number, table: HuffmanTable, into: Buffer): void {
  const stream = new BackwardBits(bytes, begin, end);
  const { bits, symbols, lengths } = table;
  for (let i = 0; i < into.length; i++) {
    const code = stream.peek(bits);
    into[i] = symbols[code] ?? 0;
    stream.left -= lengths[code] ?? 0;
  }
  if (stream.left !== 0) throw new ZstdError('a stream of bits does not end where it should');
}
