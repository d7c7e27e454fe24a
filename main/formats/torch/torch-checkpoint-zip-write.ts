/**
 * Writes the zip archive around a PyTorch checkpoint: parts stored as they are, each beginning where it can be mapped into
 * memory, every size and place in its 64-bit form, so that small and large files are alike. (PKWARE, APPNOTE.TXT, 4.3, 4.5.)
 */
import { crc32 } from '../crc32.js';

/** The bytes of a whole number, two's complement. */
export function littleEndian(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

const number = (value: number, count: number): number[] => littleEndian(BigInt(value), count);

export interface ZipPart {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** PyTorch maps numbers into memory where they begin on such a multiple. */
const ALIGNMENT = 64;
const UTF8 = 1 << 11;

/** @returns the file's bytes in pieces; the parts' bytes are not copied */
export function encodeZip(parts: readonly ZipPart[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const central: number[][] = [];
  let at = 0;
  for (const { name, bytes } of parts) {
    const nameBytes = [...new TextEncoder().encode(name)];
    const sizes = [...number(bytes.length, 8), ...number(bytes.length, 8)];
    const wide = [...number(1, 2), ...number(16, 2), ...sizes];
    const unpadded = at + 30 + nameBytes.length + wide.length + 4;
    const padding = (ALIGNMENT - (unpadded % ALIGNMENT)) % ALIGNMENT;
    const extra = [...wide, ...number(0x4246, 2), ...number(padding, 2), ...new Array<number>(padding).fill(0x5a)];
    // Version, flags, method, time, date, checksum, sizes (which stand in the extra field), lengths of name and extra.
    const common = (extraSize: number): number[] => [
      ...[...number(45, 2), ...number(UTF8, 2), ...number(0, 2), ...number(0, 4), ...number(crc32(bytes), 4)],
      ...[...number(0xffffffff, 4), ...number(0xffffffff, 4), ...number(nameBytes.length, 2), ...number(extraSize, 2)],
    ];
    const local = [...number(0x04034b50, 4), ...common(extra.length), ...nameBytes, ...extra];
    const place = [...number(1, 2), ...number(24, 2), ...sizes, ...number(at, 8)];
    central.push([
      ...[...number(0x02014b50, 4), ...number(45, 2), ...common(place.length)],
      ...[...number(0, 2), ...number(0, 2), ...number(0, 2), ...number(0, 4), ...number(0xffffffff, 4)],
      ...[...nameBytes, ...place],
    ]);
    pieces.push(Uint8Array.from(local), bytes);
    at += local.length + bytes.length;
  }
  const directory = Uint8Array.from(central.flat());
  return [...pieces, directory, endOfZip(parts.length, directory.length, at)];
}

function endOfZip(count: number, size: number, begin: number): Uint8Array {
  const counts = [...number(count, 8), ...number(count, 8), ...number(size, 8), ...number(begin, 8)];
  return Uint8Array.from([
    ...[
      ...number(0x06064b50, 4),
      ...number(44, 8),
      ...number(45, 2),
      ...number(45, 2),
      ...number(0, 4),
      ...number(0, 4),
    ],
    ...counts,
    ...[...number(0x07064b50, 4), ...number(0, 4), ...number(begin + size, 8), ...number(1, 4)],
    ...[...number(0x06054b50, 4), ...number(0, 2), ...number(0, 2), ...number(0xffff, 2), ...number(0xffff, 2)],
    ...[...number(0xffffffff, 4), ...number(0xffffffff, 4), ...number(0, 2)],
  ]);
}
