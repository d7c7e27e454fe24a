/**
 * The values of one page of a Parquet column of texts, from bytes that may be damaged in any way: every count is
 * checked against what is there before anything is set aside for it, so that a wrong one costs neither time nor memory.
 * (Apache Parquet format 2.x, Encodings.md; Snappy format description.)
 */
import { isUtf8 } from 'node:buffer';

/** Texts that begin as the one before can be far longer than their bytes, but not this much longer. */
const FREE_REPEATS = 1 << 23;
const MOST_REPEATS = 32;

/** What is wrong with a page, in words; the reader adds the file and the place. */
export class PageError extends Error {}

/** Reads numbers and bytes in order, never beyond the end. */
export class Cursor {
  position = 0;
  constructor(readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.position;
  }

  take(count: number): Buffer {
    if (!(count >= 0 && count <= this.left)) throw new PageError('it ends too early');
    this.position += count;
    return this.bytes.subarray(this.position - count, this.position);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  uint32(): number {
    return this.take(4).readUInt32LE(0);
  }

  /** An unsigned LEB128 number; beyond 2^53 it loses digits, which no length that is right has. */
  varint(): number {
    let value = 0;
    for (let i = 0, scale = 1; i < 10; i++, scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new PageError('a number in it has no end');
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** `count` numbers of `width` bits in Parquet's mix of runs and bit-packed groups. */
export function hybridNumbers(cursor: Cursor, width: number, count: number): Uint32Array {
  if (width > 32) throw new PageError(`numbers of ${width} bits`);
  const numbers = new Uint32Array(count);
  for (let done = 0; done < count;) {
    const header = cursor.varint();
    if (header % 2 === 0) {
      const value = little(cursor.take((width + 7) >> 3));
      const run = Math.min(header / 2, count - done);
      if (run === 0) throw new PageError('a run of nothing');
      numbers.fill(value, done, done + run);
      done += run;
      continue;
    }
    const values = Math.min(Math.floor(header / 2) * 8, count - done);
    if (values === 0) throw new PageError('a group of nothing');
    // The last group may be cut short where its values are not needed.
    const packed = cursor.take(Math.min(Math.floor(header / 2) * width, cursor.left));
    if (packed.length * 8 < values * width) throw new PageError('it ends too early');
    unpackBits(packed, width, values, (i, value) => (numbers[done + i] = value));
    done += values;
  }
  return numbers;
}

const little = (bytes: Uint8Array): number => bytes.reduceRight((value, byte) => value * 256 + byte, 0);

function unpackBits(bytes: Uint8Array, width: number, count: number, put: (i: number, value: number) => void): void {
  let [held, bits, next] = [0, 0, 0];
  const modulus = 2 ** width;
  for (let i = 0; i < count; i++) {
    while (bits < width) {
      held += (bytes[next++] ?? 0) * 2 ** bits;
      bits += 8;
    }
    put(i, held % modulus);
    held = Math.floor(held / modulus);
    bits -= width;
  }
}

/** DELTA_BINARY_PACKED numbers, which must be lengths: not negative. */
function deltaLengths(cursor: Cursor, count: number): Uint32Array {
  const blockSize = cursor.varint();
  const perBlock = cursor.varint();
  const total = cursor.varint();
  let value = cursor.zigzag();
  if (total !== count) throw new PageError(`${total} lengths for ${count} values`);
  const perMini = blockSize / perBlock;
  if (!Number.isInteger(perMini) || perMini < 8 || perMini > 1 << 20 || perBlock > 1 << 12) {
    throw new PageError(`blocks of ${blockSize} lengths`);
  }
  const lengths = new Uint32Array(count);
  const put = (i: number): void => {
    if (!(value >= 0 && value < 2 ** 32)) throw new PageError(`a length of ${value}`);
    lengths[i] = value;
  };
  if (count > 0) put(0);
  for (let done = 1; done < count;) {
    const least = cursor.zigzag();
    const widths = cursor.take(perBlock);
    for (let mini = 0; mini < perBlock && done < count; mini++) {
      const width = widths[mini] ?? 0;
      if (width > 40) throw new PageError(`lengths of ${width} bits`);
      const packed = cursor.take((perMini * width) / 8);
      unpackBits(packed, width, Math.min(perMini, count - done), (_, delta) => {
        value += least + delta;
        put(done++);
      });
    }
  }
  return lengths;
}

/**
 * The texts of a page in an encoding.
 * @param count how many texts there are, without the missing ones
 * @param dictionary the column's dictionary, where it has one
 */
export function pageTexts(
  encoding: string | undefined,
  bytes: Buffer,
  count: number,
  dictionary: readonly string[] | null,
): string[] {
  const cursor = new Cursor(bytes);
  switch (encoding) {
    case 'PLAIN':
      return plainTexts(cursor, count);
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY': {
      if (dictionary === null) throw new PageError('its dictionary is missing');
      if (count === 0) return [];
      const texts = new Array<string>(count);
      hybridNumbers(cursor, cursor.byte(), count).forEach((place, i) => {
        const text = dictionary[place];
        if (text === undefined) throw new PageError(`entry ${place} of a dictionary of ${dictionary.length}`);
        texts[i] = text;
      });
      return texts;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY':
      return Array.from(deltaLengths(cursor, count), (length) => text(cursor.take(length)));
    case 'DELTA_BYTE_ARRAY': {
      const prefixes = deltaLengths(cursor, count);
      const suffixes = deltaLengths(cursor, count);
      let before: Buffer = Buffer.alloc(0);
      let total = 0;
      return Array.from(prefixes, (prefix, i) => {
        if (prefix > before.length) throw new PageError('it repeats more than there is');
        before = Buffer.concat([before.subarray(0, prefix), cursor.take(suffixes[i] ?? 0)]);
        total += before.length;
        if (total > FREE_REPEATS + MOST_REPEATS * bytes.length) throw new PageError('it repeats itself too often');
        return text(before);
      });
    }
    default:
      throw new PageError(`the encoding ${encoding ?? '?'} is not read`);
  }
}

/** Texts with their lengths before them: pages, and dictionaries. */
export function plainTexts(cursor: Cursor, count: number): string[] {
  if (4 * count > cursor.left) throw new PageError('it ends too early');
  return Array.from({ length: count }, () => text(cursor.take(cursor.uint32())));
}

function text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new PageError('a value is not valid UTF-8');
  return bytes.toString('utf8');
}

/** A Snappy block. @param length what the page's header says that it unpacks to */
export function unpackSnappy(packed: Buffer, length: number): Buffer {
  const cursor = new Cursor(packed);
  // An element of three bytes makes 64 at most.
  if (cursor.varint() !== length || length > 32 * packed.length) throw new PageError('its lengths do not agree');
  const out = Buffer.alloc(length);
  let done = 0;
  while (cursor.left > 0) {
    const tag = cursor.byte();
    if ((tag & 3) === 0) {
      const more = (tag >> 2) - 59;
      const literal = cursor.take((more > 0 ? little(cursor.take(more)) : tag >> 2) + 1);
      if (literal.length > length - done) throw new PageError('it is longer than its header says');
      done += literal.copy(out, done);
      continue;
    }
    const count = (tag & 3) === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = (tag & 3) === 1 ? (tag >> 5) * 256 + cursor.byte() : little(cursor.take((tag & 3) === 2 ? 2 : 4));
    if (back === 0 || back > done || count > length - done) throw new PageError('it copies what is not there');
    for (let i = 0; i < count; i++, done++) out[done] = out[done - back] ?? 0;
  }
  if (done !== length) throw new PageError('it ends too early');
  return out;
}

/**
 * An LZ4 block (Collet, lz4_Block_format.md): literals and copies in turn, the last part only literals.
 * @param length what the page's header says that it unpacks to
 */
export function unpackLz4(packed: Buffer, length: number): Buffer {
  // A byte of a length stands for 255 at most.
  if (length > 255 * packed.length) throw new PageError('its lengths do not agree');
  const cursor = new Cursor(packed);
  const out = Buffer.alloc(length);
  let done = 0;
  const longer = (nibble: number): number => {
    let total = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) more = cursor.byte();
    return total;
  };
  while (cursor.left > 0) {
    const token = cursor.byte();
    const literal = cursor.take(longer(token >> 4));
    if (literal.length > length - done) throw new PageError('it is longer than its header says');
    done += literal.copy(out, done);
    if (cursor.left === 0) break;
    const back = little(cursor.take(2));
    const count = longer(token & 15) + 4;
    if (back === 0 || back > done || count > length - done) throw new PageError('it copies what is not there');
    for (let i = 0; i < count; i++, done++) out[done] = out[done - back] ?? 0;
  }
  if (done !== length) throw new PageError('it ends too early');
  return out;
}
