/** Protobuf's wire format, written: a field is its number and type, then its value. Reference: protobuf.dev's "Encoding". */

import { concatBytes } from '../../../shared/base/bytes.js';

export type Bytes = Uint8Array;

const utf8 = new TextEncoder();

/** A varint; negative numbers take ten bytes, as int64 does. */
function addVarint(to: number[], value: number): void {
  if (value < 0 || value > 0x7fff_ffff) return addLong(to, value);
  let rest = value;
  for (; rest > 127; rest >>>= 7) to.push((rest & 127) | 128);
  to.push(rest);
}

function addLong(to: number[], value: number): void {
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) to.push(Number(rest & 127n) | 128);
  to.push(Number(rest));
}

/** A field's number and type, and a varint after it. */
function head(field: number, type: number, value?: number): number[] {
  const bytes: number[] = [];
  addVarint(bytes, field * 8 + type);
  if (value !== undefined) addVarint(bytes, value);
  return bytes;
}

/** A field of a length: its head, and room for what is in it. */
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
  // Names, of which a graph has thousands: a loop takes a quarter of the encoder's time.
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

export function float(field: number, value: number): Bytes {
  const encoded = new Uint8Array(4);
  new DataView(encoded.buffer).setFloat32(0, value, true);
  return concatBytes([new Uint8Array(head(field, 5)), encoded]);
}

export function double(field: number, value: number): Bytes {
  const encoded = new Uint8Array(8);
  new DataView(encoded.buffer).setFloat64(0, value, true);
  return concatBytes([new Uint8Array(head(field, 1)), encoded]);
}
