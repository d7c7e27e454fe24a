/** One block of Zstandard: literals, and sequences that say how many of them come next and what is repeated after them. (RFC 8878, 3.1.1.3.) */
import {
  BackwardBits,
  constantTable,
  type FseTable,
  fseTable,
  type HuffmanTable,
  readFseTable,
  readHuffman,
  readHuffmanTable,
  ZstdError,
} from './zstd-entropy.js';

export const LARGEST_BLOCK = 1 << 17;

const accuracies = { literals: 9, offsets: 8, matches: 9 } as const;
type Kind = keyof typeof accuracies;

const repeat = (count: number, value: number): number[] => new Array<number>(count).fill(value);
const predefined: Readonly<Record<Kind, FseTable>> = {
  literals: fseTable([4, 3, ...repeat(11, 2), 1, 1, 1, ...repeat(9, 2), 3, 2, ...repeat(5, 1), ...repeat(4, -1)], 6),
  offsets: fseTable([...repeat(6, 1), 2, 2, 2, ...repeat(15, 1), ...repeat(5, -1)], 5),
  matches: fseTable([1, 4, 3, ...repeat(6, 2), ...repeat(37, 1), ...repeat(7, -1)], 6),
};

/** Lengths: codes for one value each, then for ranges, by how many more bits say which. */
const literalBits = [...repeat(16, 0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const matchBits = [...repeat(32, 0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const basesOf = (bits: readonly number[], first: number): number[] => {
  let base = first;
  return bits.map((count) => {
    base += 2 ** count;
    return base - 2 ** count;
  });
};
const literalBases = basesOf(literalBits, 0);
const matchBases = basesOf(matchBits, 3);
const LARGEST_OFFSET_CODE = 31;

/** What one block leaves for the next one of its frame. */
export class BlockState {
  huffman: HuffmanTable | null = null;
  readonly tables: Record<Kind, FseTable | null> = { literals: null, offsets: null, matches: null };
  /** The last three distances. */
  recent: [number, number, number] = [1, 4, 8];
}

/**
 * Decodes a block to the end of what has been decoded before.
 * @param history holds what may be repeated, up to `position`, and room for LARGEST_BLOCK bytes after it
 * @returns how many bytes the block came to
 */
export function decodeBlock(block: Buffer, state: BlockState, history: Buffer, position: number): number {
  const [literals, at] = readLiterals(block, state);
  return readSequences(block, at, literals, state, history, position);
}

function byteAt(block: Buffer, at: number): number {
  const byte = block[at];
  if (byte === undefined) throw new ZstdError('a block ends too early');
  return byte;
}

/** @returns the literals, and where they end in the block */
function readLiterals(block: Buffer, state: BlockState): [Buffer, number] {
  const head = byteAt(block, 0);
  const [kind, format] = [head & 3, (head >> 2) & 3];
  const isPacked = kind >= 2;
  const headSize = isPacked ? ([3, 3, 4, 5][format] ?? 3) : ([1, 2, 1, 3][format] ?? 1);
  let fields = 0;
  for (let i = headSize - 1; i >= 0; i--) fields = fields * 256 + byteAt(block, i);
  if (!isPacked) {
    const size = Math.floor(fields / (headSize === 1 ? 8 : 16));
    checkSize(size);
    if (kind === 1) return [Buffer.alloc(size, byteAt(block, headSize)), headSize + 1];
    if (headSize + size > block.length) throw new ZstdError('a block ends too early');
    return [block.subarray(headSize, headSize + size), headSize + size];
  }
  const width = [10, 10, 14, 18][format] ?? 10;
  const size = Math.floor(fields / 16) % 2 ** width;
  const packedSize = Math.floor(fields / 2 ** (4 + width));
  const end = headSize + packedSize;
  checkSize(size);
  if (end > block.length) throw new ZstdError('a block ends too early');
  let at = headSize;
  if (kind === 2) [state.huffman, at] = readHuffmanTable(block, at, end);
  if (state.huffman === null) throw new ZstdError('a table is missing');
  const literals = Buffer.alloc(size);
  if (format === 0) readHuffman(block, at, end, state.huffman, literals);
  else readFourStreams(block, at, end, state.huffman, literals);
  return [literals, end];
}

function checkSize(size: number): void {
  if (size > LARGEST_BLOCK) throw new ZstdError(`a block would come to ${size} bytes`);
}

function readFourStreams(block: Buffer, at: number, end: number, table: HuffmanTable, literals: Buffer): void {
  const each = (literals.length + 3) >> 2;
  if (at + 6 > end || 3 * each > literals.length) throw new ZstdError('a block ends too early');
  let begin = at + 6;
  for (let i = 0; i < 4; i++) {
    const next = i < 3 ? begin + block.readUInt16LE(at + 2 * i) : end;
    if (next > end) throw new ZstdError('a block ends too early');
    readHuffman(block, begin, next, table, literals.subarray(i * each, i < 3 ? (i + 1) * each : literals.length));
    begin = next;
  }
}

function readSequences(
  block: Buffer,
  begin: number,
  literals: Buffer,
  state: BlockState,
  history: Buffer,
  position: number,
): number {
  let at = begin;
  let count = byteAt(block, at++);
  if (count === 255) {
    count = byteAt(block, at) + (byteAt(block, at + 1) << 8) + 0x7f00;
    at += 2;
  } else if (count > 127) {
    count = ((count - 128) << 8) + byteAt(block, at++);
  }
  if (count === 0) {
    if (at !== block.length) throw new ZstdError('a block does not end where it should');
    return literals.copy(history, position);
  }
  const modes = byteAt(block, at++);
  if ((modes & 3) !== 0) throw new ZstdError('a block of an unknown form');
  const tables = (['literals', 'offsets', 'matches'] as const).map((kind, i) => {
    const [table, after] = readTable(block, at, (modes >> (6 - 2 * i)) & 3, kind, state);
    at = after;
    state.tables[kind] = table;
    return table;
  });
  const [ofLiterals, ofOffsets, ofMatches] = tables as [FseTable, FseTable, FseTable];
  const bits = new BackwardBits(block, at, block.length);
  let literalState = bits.read(ofLiterals.accuracy);
  let offsetState = bits.read(ofOffsets.accuracy);
  let matchState = bits.read(ofMatches.accuracy);
  let to = position;
  let from = 0;
  const limit = position + LARGEST_BLOCK;
  for (let i = 0; i < count; i++) {
    const offsetCode = ofOffsets.symbols[offsetState] ?? 0;
    const matchCode = ofMatches.symbols[matchState] ?? 0;
    const literalCode = ofLiterals.symbols[literalState] ?? 0;
    const [matchBase, literalBase] = [matchBases[matchCode], literalBases[literalCode]];
    if (offsetCode > LARGEST_OFFSET_CODE || matchBase === undefined || literalBase === undefined) {
      throw new ZstdError('a code that does not exist');
    }
    const upper = offsetCode > 16 ? bits.read(offsetCode - 16) * 65536 : 0;
    const offset = 2 ** offsetCode + upper + bits.read(Math.min(16, offsetCode));
    const matchLength = matchBase + bits.read(matchBits[matchCode] ?? 0);
    const literalLength = literalBase + bits.read(literalBits[literalCode] ?? 0);
    if (i < count - 1) {
      literalState = (ofLiterals.bases[literalState] ?? 0) + bits.read(ofLiterals.bits[literalState] ?? 0);
      matchState = (ofMatches.bases[matchState] ?? 0) + bits.read(ofMatches.bits[matchState] ?? 0);
      offsetState = (ofOffsets.bases[offsetState] ?? 0) + bits.read(ofOffsets.bits[offsetState] ?? 0);
    }
    if (bits.left < 0) throw new ZstdError('a block ends too early');
    const distance = distanceOf(offset, literalLength, state);
    if (from + literalLength > literals.length || to + literalLength + matchLength > limit) {
      throw new ZstdError('a block is longer than it may be');
    }
    literals.copy(history, to, from, from + literalLength);
    from += literalLength;
    to += literalLength;
    if (!(distance >= 1 && distance <= to)) throw new ZstdError('it repeats what is not there');
    copyMatch(history, to, distance, matchLength);
    to += matchLength;
  }
  if (bits.left !== 0) throw new ZstdError('a stream of bits does not end where it should');
  if (to + literals.length - from > limit) throw new ZstdError('a block is longer than it may be');
  to += literals.copy(history, to, from);
  return to - position;
}

function readTable(block: Buffer, at: number, mode: number, kind: Kind, state: BlockState): [FseTable, number] {
  if (mode === 0) return [predefined[kind], at];
  if (mode === 1) return [constantTable(byteAt(block, at)), at + 1];
  if (mode === 2) return readFseTable(block, at, block.length, accuracies[kind]);
  const before = state.tables[kind];
  if (before === null) throw new ZstdError('a table is missing');
  return [before, at];
}

/** The three smallest values mean distances used before. */
function distanceOf(offset: number, literalLength: number, state: BlockState): number {
  const [first, second, third] = state.recent;
  if (offset > 3) {
    state.recent = [offset - 3, first, second];
    return offset - 3;
  }
  const which = offset - (literalLength === 0 ? 0 : 1);
  if (which === 0) return first;
  const distance = which === 1 ? second : which === 2 ? third : first - 1;
  state.recent = which === 1 ? [second, first, third] : [distance, first, second];
  return distance;
}

/** What is repeated may reach into itself. */
function copyMatch(history: Buffer, to: number, distance: number, length: number): void {
  if (distance >= length) {
    history.copyWithin(to, to - distance, to - distance + length);
    return;
  }
  for (let i = to; i < to + length; i++) history[i] = history[i - distance] ?? 0;
}
