/** Reads the bytes of a pickle from the front: numbers of fixed size, counted texts and lines, each within the file. */
import type { UserError } from '../../../shared/errors.js';

const MAX_INTEGER_BYTES = 64;
/** Longer than the name of any module. */
const MAX_LINE = 1 << 10;
const SHORT = 24;

const utf8Decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class PickleBytes {
  private position = 0;
  private at = 0;
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly refuse: (why: string, at: number) => UserError,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  instruction(): number {
    this.at = this.position;
    return this.byte();
  }

  error(why: string): UserError {
    return this.refuse(why, this.at);
  }

  byte(): number {
    return this.view.getUint8(this.take(1));
  }

  unsigned2(): number {
    return this.view.getUint16(this.take(2), true);
  }

  signed4(): number {
    return this.view.getInt32(this.take(4), true);
  }

  unsigned4(): number {
    return this.view.getUint32(this.take(4), true);
  }

  unsigned8(): number {
    return Number(this.view.getBigUint64(this.take(8), true));
  }

  /** Python writes this one number big-endian. */
  float8(): number {
    return this.view.getFloat64(this.take(8), false);
  }

  slice(count: number): Uint8Array {
    const start = this.take(count);
    return this.bytes.slice(start, start + count);
  }

  utf8(count: number): string {
    const start = this.take(count);
    const short = count <= SHORT ? ascii(this.bytes, start, count) : null;
    if (short !== null) return short;
    try {
      return utf8Decoder.decode(this.bytes.subarray(start, start + count));
    } catch {
      throw this.error('text that is not UTF-8');
    }
  }

  latin1(count: number): string {
    const start = this.take(count);
    let text = '';
    for (let i = start; i < start + count; i += 4096) {
      text += String.fromCharCode(...this.bytes.subarray(i, Math.min(i + 4096, start + count)));
    }
    return text;
  }

  line(): string {
    const window = this.bytes.subarray(this.position, this.position + MAX_LINE + 1);
    const length = window.indexOf(0x0a);
    if (length === -1) throw this.error(window.length > MAX_LINE ? 'a line that is too long' : 'it is cut short');
    const text = this.latin1(length);
    this.position += 1;
    return text;
  }

  /** A little-endian two's complement integer. */
  integer(count: number): number | bigint {
    if (count > MAX_INTEGER_BYTES) throw this.error('a number that is too large');
    let value = 0n;
    const start = this.take(count);
    for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.bytes[start + i] ?? 0);
    return narrow(BigInt.asIntN(8 * count, value));
  }

  private take(count: number): number {
    const start = this.position;
    if (count > this.bytes.length - start) throw this.error('it is cut short');
    this.position = start + count;
    return start;
  }
}

/** Most texts in a pickle are a few letters, for which a decoder takes many times as long as this. */
function ascii(bytes: Uint8Array, start: number, count: number): string | null {
  for (let i = start; i < start + count; i++) if ((bytes[i] ?? 0) >= 0x80) return null;
  return String.fromCharCode(...bytes.subarray(start, start + count));
}

/** A number where it can be one exactly. */
export function narrow(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
