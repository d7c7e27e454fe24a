/** Reads the header of a GGUF file; lengths are checked before memory is allocated. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { ByteSource } from '../byte-source.js';
import { quoted } from '../shorten.js';
import { type GgufValue, type NumberList, valueTypes } from './gguf-types.js';

/** Some four times the largest vocabularies in use, with their merges: a forged header takes little time and memory. */
const MAX_HEADER = 48 << 20;
/** A chat template, or a whole tokenizer.json in one piece. */
const MAX_STRING = 16 << 20;
/** In all lists together; 262,144 tokens and their merges are 776,000. */
const MAX_STRINGS = 1 << 20;
/** What is read from the file at once. */
const WINDOW = 1 << 18;

/** Reads what follows one another in a header. Every method throws UserError `file_damaged` where the file ends. */
export class HeaderReader {
  private at = 0;
  private window = new Uint8Array(0);
  private windowStart = 0;
  private strings = 0;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  constructor(
    private readonly source: ByteSource,
    private readonly what: string,
  ) {}

  get position(): number {
    return this.at;
  }

  u32(): number {
    return this.next(4).getUint32(0, true);
  }

  /** Rounded to a JavaScript number: a count beyond 2^53 is beyond every limit too. */
  u64(): number {
    return Number(this.next(8).getBigUint64(0, true));
  }

  /** @param of what it is, for messages */
  string(of: string, most = MAX_STRING): string {
    const length = this.u64();
    if (length > most) throw damagedGguf(this.what, `${of} cannot be ${length} bytes long`);
    const bytes = this.bytes(length);
    try {
      return this.utf8.decode(bytes);
    } catch {
      throw damagedGguf(this.what, `${of} is not UTF-8`);
    }
  }

  value(key: string): GgufValue {
    const type = this.u32();
    if (type === valueTypes.string) return this.string(`the value of ${quoted(key)}`);
    if (type === valueTypes.array) return this.list(key);
    const read = scalars[type];
    if (read === undefined) throw damagedGguf(this.what, `${quoted(key)} has the unknown type ${type}`);
    return read.value(this.next(read.bytes));
  }

  private list(key: string): GgufValue {
    const type = this.u32();
    const count = this.u64();
    if (type === valueTypes.array) throw damagedGguf(this.what, `${quoted(key)} is a list of lists, which is not read`);
    if (type !== valueTypes.string) {
      const element = scalars[type];
      if (element === undefined) throw damagedGguf(this.what, `${quoted(key)} is a list of the unknown type ${type}`);
      return element.list(this.bytes(count * element.bytes).slice());
    }
    // Each takes eight bytes of length at the least.
    if (8 * count > this.left() || this.strings + count > MAX_STRINGS) {
      throw damagedGguf(this.what, `${quoted(key)} cannot have ${count} values`);
    }
    this.strings += count;
    const of = `a value of ${quoted(key)}`;
    return Array.from({ length: count }, () => this.string(of));
  }

  private next(count: number): DataView {
    const bytes = this.bytes(count);
    return new DataView(bytes.buffer, bytes.byteOffset, count);
  }

  /** How much of the file may still belong to the header. */
  private left(): number {
    return Math.min(this.source.byteLength, MAX_HEADER) - this.at;
  }

  /** A view that holds until the next call. */
  private bytes(count: number): Uint8Array {
    if (count > this.left()) {
      const isLimit = this.at + count <= this.source.byteLength;
      throw damagedGguf(this.what, isLimit ? `its header is larger than ${MAX_HEADER} bytes` : 'it was cut short');
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

interface Scalar {
  readonly bytes: number;
  value(view: DataView): GgufValue;
  /** @param bytes in memory of their own, from its beginning */
  list(bytes: Uint8Array<ArrayBuffer>): NumberList;
}

const wholeNumbers = (bytes: Uint8Array<ArrayBuffer>, isSigned: boolean): Float64Array => {
  const words = isSigned ? new BigInt64Array(bytes.buffer) : new BigUint64Array(bytes.buffer);
  const numbers = new Float64Array(words.length);
  for (let i = 0; i < words.length; i++) numbers[i] = Number(words[i] ?? 0n);
  return numbers;
};

const scalars: Readonly<Record<number, Scalar>> = {
  [valueTypes.u8]: { bytes: 1, value: (v) => v.getUint8(0), list: (b) => b },
  [valueTypes.i8]: { bytes: 1, value: (v) => v.getInt8(0), list: (b) => new Int8Array(b.buffer) },
  [valueTypes.u16]: { bytes: 2, value: (v) => v.getUint16(0, true), list: (b) => new Uint16Array(b.buffer) },
  [valueTypes.i16]: { bytes: 2, value: (v) => v.getInt16(0, true), list: (b) => new Int16Array(b.buffer) },
  [valueTypes.u32]: { bytes: 4, value: (v) => v.getUint32(0, true), list: (b) => new Uint32Array(b.buffer) },
  [valueTypes.i32]: { bytes: 4, value: (v) => v.getInt32(0, true), list: (b) => new Int32Array(b.buffer) },
  [valueTypes.f32]: { bytes: 4, value: (v) => v.getFloat32(0, true), list: (b) => new Float32Array(b.buffer) },
  [valueTypes.bool]: { bytes: 1, value: (v) => v.getUint8(0) !== 0, list: (b) => b },
  [valueTypes.u64]: { bytes: 8, value: (v) => Number(v.getBigUint64(0, true)), list: (b) => wholeNumbers(b, false) },
  [valueTypes.i64]: { bytes: 8, value: (v) => Number(v.getBigInt64(0, true)), list: (b) => wholeNumbers(b, true) },
  [valueTypes.f64]: { bytes: 8, value: (v) => v.getFloat64(0, true), list: (b) => new Float64Array(b.buffer) },
};

export function damagedGguf(what: string, why: string): UserError {
  return new UserError({
    code: 'file_damaged',
    message: localized('gguf.readable_gguf_file', { what, why }),
    hint: localized('gguf.use_another_copy_file_make'),
  });
}
