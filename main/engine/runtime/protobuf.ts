/** Writes Protobuf's wire format: a field is its number and type, then its value (protobuf.dev, "Encoding"). */
import { concatBytes } from '../../../shared/base/bytes.js';

export type Bytes = Uint8Array;

const utf8 = new TextEncoder();

/** Appends a varint; negative numbers take ten bytes, as int64 does. */
function addVarint(to: number[], value: number): void {
  if (value >= 0 && value <= 0x7fff_ffff) {
    let rest = value;
    for (; rest > 127; rest >>>= 7) to.push((rest & 127) | 128);
    to.push(rest);
  } else {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) to.push(Number(rest & 127n) | 128);
    to.push(Number(rest));
  }
}

/** A field's number and type, followed by a varint. */
function head(field: number, type: number, value?: number): number[] {
  const bytes: number[] = [];
  addVarint(bytes, field * 8 + type);
  if (value !== undefined) addVarint(bytes, value);
  return bytes;
}

/** A length-delimited field with room for its content. */
function withRoom(field: number, length: number): { readonly whole: Bytes; readonly from: number } {
  const first = head(field, 2, length);
  const whole = new Uint8Array(first.length + length);
  whole.set(first);
  return { whole, from: first.length };
}

export const int = (field: number, value: number): Bytes => new Uint8Array(head(field, 0, value));
export const bytes = (field: number, value: Bytes): Bytes => message(field, [value]);

export function text(field: number, value: string): Bytes {
  const { whole, from } = withRoom(field, value.length);
  // A graph has thousands of names, and a loop takes a quarter of TextEncoder's time.
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code > 127) return bytes(field, utf8.encode(value));
    whole[from + at] = code;
  }
  return whole;
}

export function message(field: number, parts: readonly Bytes[]): Bytes {
  let length = 0;
  for (const part of parts) length += part.length;
  const { whole, from } = withRoom(field, length);
  let at = from;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Typed arrays are little-endian, as the format is. */
export const float = (field: number, value: number): Bytes =>
  concatBytes([new Uint8Array(head(field, 5)), new Uint8Array(Float32Array.of(value).buffer)]);

export const double = (field: number, value: number): Bytes =>
  concatBytes([new Uint8Array(head(field, 1)), new Uint8Array(Float64Array.of(value).buffer)]);
