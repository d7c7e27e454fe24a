/** Reads the header of a GGUF file; lengths are checked before memory is allocated. */
import { localized } from '../../../shared/messages/message.js';
import type { UserError } from '../../../shared/errors.js';
import type { ByteSource } from '../byte-source.js';
import { damaged } from '../faults.js';
import { type GgufValue, valueTypes } from './gguf-types.js';

/** Four times the largest vocabularies in use, with their merges: a forged header takes little time and memory. */
const MAX_HEADER = 48 << 20;
/** A chat template, or a whole tokenizer.json in one piece. */
const MAX_STRING = 16 << 20;
/** In all lists together; 262,144 tokens with merges, types and scores are 1.3 million. */
const MAX_ELEMENTS = 1 << 21;
/** Bytes read from the file at once. */
const WINDOW = 1 << 18;

/** Reads the values of a header in order. Every method throws UserError `file_damaged` at the end of the file. */
export class HeaderReader {
  private at = 0;
  private window = new Uint8Array(0);
  private windowStart = 0;
  private elements = 0;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  constructor(
    private readonly source: ByteSource,
    private readonly what: string,
  ) {}

  get position(): number {
    return this.at;
  }

  invalid(): UserError {
    return damaged(this.what, localized('damage.headerAt', { at: this.at }));
  }

  u32(): number {
    return this.next(4).getUint32(0, true);
  }

  /** Rounded to a JavaScript number: a count beyond 2^53 is beyond every limit too. */
  u64(): number {
    return Number(this.next(8).getBigUint64(0, true));
  }

  string(most = MAX_STRING): string {
    const length = this.u64();
    if (length > most) throw this.invalid();
    const bytes = this.bytes(length);
    try {
      return this.utf8.decode(bytes);
    } catch {
      throw this.invalid();
    }
  }

  value(): GgufValue {
    const type = this.u32();
    if (type === valueTypes.string) return this.string();
    if (type === valueTypes.array) return this.list();
    const [size, read] = this.scalar(type);
    return read(this.next(size), 0);
  }

  private list(): GgufValue {
    const type = this.u32();
    const count = this.u64();
    // A string takes the eight bytes of its length at least.
    const [size, read] = type === valueTypes.string ? [8, null] : this.scalar(type);
    this.elements += count;
    if (size * count > this.left() || this.elements > MAX_ELEMENTS) throw this.invalid();
    if (read === null) return Array.from({ length: count }, () => this.string());
    const view = this.next(size * count);
    return Float64Array.from({ length: count }, (_, i) => Number(read(view, size * i)));
  }

  private scalar(type: number): Scalar {
    const found = scalars[type];
    if (found === undefined) throw this.invalid();
    return found;
  }

  private next(count: number): DataView {
    const bytes = this.bytes(count);
    return new DataView(bytes.buffer, bytes.byteOffset, count);
  }

  /** Bytes of the file that may still belong to the header. */
  private left(): number {
    return Math.min(this.source.byteLength, MAX_HEADER) - this.at;
  }

  /** A view that is valid until the next call. */
  private bytes(count: number): Uint8Array {
    if (count > this.left()) {
      const isLimit = this.at + count <= this.source.byteLength;
      throw isLimit ? this.invalid() : damaged(this.what, localized('damage.cutShort'));
    }
    if (this.at + count > this.windowStart + this.window.length) {
      const size = Math.min(Math.max(count, WINDOW), this.source.byteLength - this.at);
      this.window = new Uint8Array(size);
      this.source.read(this.at, this.window);
      this.windowStart = this.at;
    }
    const begin = this.at - this.windowStart;
    this.at += count;
    return this.window.subarray(begin, begin + count);
  }
}

type Scalar = readonly [bytes: number, read: (view: DataView, at: number) => number | boolean];

const scalars: Readonly<Record<number, Scalar>> = {
  [valueTypes.u8]: [1, (view, at) => view.getUint8(at)],
  [valueTypes.i8]: [1, (view, at) => view.getInt8(at)],
  [valueTypes.u16]: [2, (view, at) => view.getUint16(at, true)],
  [valueTypes.i16]: [2, (view, at) => view.getInt16(at, true)],
  [valueTypes.u32]: [4, (view, at) => view.getUint32(at, true)],
  [valueTypes.i32]: [4, (view, at) => view.getInt32(at, true)],
  [valueTypes.f32]: [4, (view, at) => view.getFloat32(at, true)],
  [valueTypes.bool]: [1, (view, at) => view.getUint8(at) !== 0],
  [valueTypes.u64]: [8, (view, at) => Number(view.getBigUint64(at, true))],
  [valueTypes.i64]: [8, (view, at) => Number(view.getBigInt64(at, true))],
  [valueTypes.f64]: [8, (view, at) => view.getFloat64(at, true)],
};
