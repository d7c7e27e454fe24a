/** Protobuf's wire format, written: a field is its number and type, then its value. Reference: protobuf.dev's "Encoding". */

export type Bytes = Uint8Array;

const utf8 = new TextEncoder();

export function concatBytes(parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A varint; negative numbers take ten bytes, as int64 does. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return bytes;
}

export const int = (field: number, value: number): Bytes => Uint8Array.from([...varint(field * 8), ...varint(value)]);
export const bytes = (field: number, value: Bytes): Bytes =>
  concatBytes([Uint8Array.from([...varint(field * 8 + 2), ...varint(value.length)]), value]);
export const text = (field: number, value: string): Bytes => bytes(field, utf8.encode(value));
export const message = (field: number, parts: readonly Bytes[]): Bytes => bytes(field, concatBytes(parts));

export function float(field: number, value: number): Bytes {
  const encoded = new Uint8Array(4);
  new DataView(encoded.buffer).setFloat32(0, value, true);
  return concatBytes([Uint8Array.from(varint(field * 8 + 5)), encoded]);
}

export function double(field: number, value: number): Bytes {
  const encoded = new Uint8Array(8);
  new DataView(encoded.buffer).setFloat64(0, value, true);
  return concatBytes([Uint8Array.from(varint(field * 8 + 1)), encoded]);
}
