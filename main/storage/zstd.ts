/**
 * Unpacks Zstandard where Node cannot (before 22.15): frame by frame and block by block, in memory that grows with what
 * has been unpacked. Lengths and checksums are held to. (RFC 8878, section 3.1.)
 */
import { XxHash64 } from './xxhash64.js';
import { BlockState, decodeBlock, LARGEST_BLOCK } from './zstd-block.js';
import { ZstdError } from './zstd-entropy.js';

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** How far back a file may repeat: what the reference decoder gives by default. */
const LARGEST_WINDOW = 128 << 20;

/** Bytes in order. */
export interface PackedBytes {
  /** Exactly so many bytes. @throws ZstdError when there are fewer */
  take(count: number): Buffer;
  isAtEnd(): boolean;
}

/** @throws ZstdError */
export function* unzstd(input: PackedBytes): Generator<Buffer> {
  while (!input.isAtEnd()) {
    const magic = input.take(4).readUInt32LE(0);
    if (magic === MAGIC) yield* frame(input);
    else if ((magic & ~15) >>> 0 === SKIPPABLE) skip(input, input.take(4).readUInt32LE(0));
    else throw new ZstdError('it is not Zstandard, or something follows it that is not');
  }
}

/** All of it at once. @throws ZstdError when it comes to more than `largest` bytes */
export function unzstdAll(packed: Buffer, largest: number): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  for (const piece of unzstd(bytesIn(packed))) {
    length += piece.length;
    if (length > largest) throw new ZstdError(`it unpacks to more than ${largest} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function bytesIn(bytes: Buffer): PackedBytes {
  let at = 0;
  return {
    isAtEnd: () => at === bytes.length,
    take(count) {
      if (count > bytes.length - at) throw new ZstdError('unexpected end of file');
      at += count;
      return bytes.subarray(at - count, at);
    },
  };
}

/** The same of bytes that come in pieces. */
export function bytesOf(pieces: Iterator<Buffer>): PackedBytes {
  let held: Buffer = Buffer.alloc(0);
  const fill = (count: number): void => {
    while (held.length < count) {
      const { value, done } = pieces.next();
      if (done === true) return;
      held = held.length === 0 ? value : Buffer.concat([held, value]);
    }
  };
  return {
    isAtEnd() {
      fill(1);
      return held.length === 0;
    },
    take(count) {
      fill(count);
      if (held.length < count) throw new ZstdError('unexpected end of file');
      const taken = held.subarray(0, count);
      held = held.subarray(count);
      return taken;
    },
  };
}

function skip(input: PackedBytes, count: number): void {
  for (let left = count; left > 0; left -= Math.min(left, LARGEST_BLOCK)) input.take(Math.min(left, LARGEST_BLOCK));
}

interface FrameHeader {
  readonly window: number;
  /** How long the frame says that it is; null when it does not. */
  readonly length: number | null;
  readonly hasChecksum: boolean;
}

function frameHeader(input: PackedBytes): FrameHeader {
  const descriptor = input.take(1)[0] ?? 0;
  const isSingle = (descriptor & 0x20) !== 0;
  if ((descriptor & 8) !== 0) throw new ZstdError('a frame of an unknown form');
  const windowByte = isSingle ? 0 : (input.take(1)[0] ?? 0);
  const dictionary = input.take([0, 1, 2, 4][descriptor & 3] ?? 0);
  if (dictionary.some((byte) => byte !== 0)) throw new ZstdError('it needs a dictionary, which is not in it');
  const sizeBytes = input.take([isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0);
  const written = sizeBytes.reduceRight((value, byte) => value * 256 + byte, 0);
  const length = sizeBytes.length === 0 ? null : written + (sizeBytes.length === 2 ? 256 : 0);
  const window = isSingle ? (length ?? 0) : 2 ** (10 + (windowByte >> 3)) * (1 + (windowByte & 7) / 8);
  if (window > LARGEST_WINDOW) {
    throw new ZstdError(`it needs a window of ${window} bytes; at most ${LARGEST_WINDOW} are given`);
  }
  return { window, length, hasChecksum: (descriptor & 4) !== 0 };
}

function* frame(input: PackedBytes): Generator<Buffer> {
  const { window, length, hasChecksum } = frameHeader(input);
  const hash = hasChecksum ? new XxHash64() : null;
  const state = new BlockState();
  const history = new History(window);
  let total = 0;
  for (let isLast = false; !isLast;) {
    const head = input.take(3).readUIntLE(0, 3);
    isLast = (head & 1) !== 0;
    const piece = history.add(block(input, (head >> 1) & 3, head >> 3, state));
    total += piece.length;
    if (length !== null && total > length) throw new ZstdError('a frame is longer than it says');
    hash?.update(piece);
    if (piece.length > 0) yield piece;
  }
  if (length !== null && total !== length) throw new ZstdError('a frame is shorter than it says');
  if (hash !== null && input.take(4).readUInt32LE(0) !== hash.digest32()) {
    throw new ZstdError('its bytes are not those that were packed');
  }
}

/** Writes a block behind what is in a history, and says how long it is. */
type WriteBlock = (history: Buffer, position: number) => number;

function block(input: PackedBytes, kind: number, size: number, state: BlockState): WriteBlock {
  if (kind === 3 || size > LARGEST_BLOCK) throw new ZstdError('a block of an unknown form');
  const bytes = input.take(kind === 1 ? 1 : size);
  if (kind === 2) return (history, position) => decodeBlock(bytes, state, history, position);
  return (history, position) => {
    if (kind === 0) return bytes.copy(history, position);
    history.fill(bytes[0] ?? 0, position, position + size);
    return size;
  };
}

/** What has been unpacked, as far back as it may be repeated. */
class History {
  private bytes = Buffer.alloc(2 * LARGEST_BLOCK);
  private position = 0;

  constructor(private readonly window: number) {}

  /** @returns what was written, in memory of its own */
  add(write: WriteBlock): Buffer {
    if (this.position + LARGEST_BLOCK > this.bytes.length) this.makeRoom();
    const begin = this.position;
    this.position += write(this.bytes, begin);
    return Buffer.from(this.bytes.subarray(begin, this.position));
  }

  private makeRoom(): void {
    // Twice the window, so that moving it costs no more than filling it did.
    const most = 2 * this.window + 2 * LARGEST_BLOCK;
    if (this.bytes.length < most) {
      const larger = Buffer.alloc(Math.min(most, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.position);
      this.bytes = larger;
      if (this.position + LARGEST_BLOCK <= larger.length) return;
    }
    this.bytes.copyWithin(0, this.position - this.window, this.position);
    this.position = this.window;
  }
}
