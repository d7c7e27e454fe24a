/** Reads the bytes of a pickle from the front: numbers of fixed size, counted texts and lines, each within the file. */
import { localized, type Message } from '../../../shared/messages/message.js';
import type { UserError } from '../../../shared/errors.js';

const MAX_INTEGER_BYTES = 64;
/** Longer than the name of any module. */
const MAX_LINE = 1 << 10;

const utf8Decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class PickleBytes {
  private position = 0;
  /** Where the current instruction begins. */
  private at = 0;
  private readonly buffer: Buffer;

  constructor(
    bytes: Uint8Array,
    private readonly refuse: (why: Message, at: number) => UserError,
  ) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  error(why: Message): UserError {
    return this.refuse(why, this.at);
  }

  /** The error for anything that Python's pickler does not write. */
  invalid(): UserError {
    return this.error(localized('pickle.invalid'));
  }

  instruction(): number {
    this.at = this.position;
    return this.byte();
  }

  byte(): number {
    return this.buffer.readUInt8(this.take(1));
  }

  unsigned2(): number {
    return this.buffer.readUInt16LE(this.take(2));
  }

  signed4(): number {
    return this.buffer.readInt32LE(this.take(4));
  }

  unsigned4(): number {
    return this.buffer.readUInt32LE(this.take(4));
  }

  unsigned8(): number {
    return Number(this.buffer.readBigUInt64LE(this.take(8)));
  }

  /** Python writes this one number big-endian. */
  float8(): number {
    return this.buffer.readDoubleBE(this.take(8));
  }

  slice(count: number): Uint8Array {
    const start = this.take(count);
    return new Uint8Array(this.buffer.subarray(start, start + count));
  }

  utf8(count: number): string {
    const start = this.take(count);
    try {
      return utf8Decoder.decode(this.buffer.subarray(start, start + count));
    } catch {
      throw this.invalid();
    }
  }

  line(): string {
    const length = this.buffer.subarray(this.position, this.position + MAX_LINE + 1).indexOf(0x0a);
    if (length === -1) throw this.invalid();
    const start = this.take(length + 1);
    return this.buffer.toString('latin1', start, start + length);
  }

  /** A little-endian two's complement integer; a number if it can be one exactly. */
  integer(count: number): number | bigint {
    if (count > MAX_INTEGER_BYTES) throw this.invalid();
    let bits = 0n;
    for (const byte of this.slice(count).reverse()) bits = (bits << 8n) | BigInt(byte);
    const value = BigInt.asIntN(8 * count, bits);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  private take(count: number): number {
    const start = this.position;
    if (count > this.buffer.length - start) throw this.error(localized('damage.cutShort'));
    this.position = start + count;
    return start;
  }
}
