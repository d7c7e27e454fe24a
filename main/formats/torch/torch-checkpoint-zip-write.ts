/** Writes the zip archive of a PyTorch checkpoint: stored, aligned for mapping, all sizes in 64 bits. (APPNOTE.TXT 4.3, 4.5) */
import { crc32 } from '../crc32.js';

/** The bytes of a whole number, two's complement. */
export function littleEndian(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/** Numbers, each in so many bytes. */
const fields = (...numbers: readonly (readonly [value: number, count: number])[]): number[] =>
  numbers.flatMap(([value, count]) => littleEndian(BigInt(value), count));

export interface ZipPart {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** PyTorch maps numbers into memory if they start on such a multiple. */
const ALIGNMENT = 64;
const UTF8 = 1 << 11;
const [WIDE2, WIDE4] = [0xffff, 0xffffffff];

/** @returns the file's bytes in pieces; the parts' bytes are not copied */
export function encodeZip(parts: readonly ZipPart[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const central: number[] = [];
  let at = 0;
  for (const { name, bytes } of parts) {
    const nameBytes = [...new TextEncoder().encode(name)];
    const size = bytes.length;
    const wide = fields([1, 2], [16, 2], [size, 8], [size, 8]);
    const padding = -(at + 30 + nameBytes.length + wide.length + 4) & (ALIGNMENT - 1);
    const extra = [...wide, ...fields([0x4246, 2], [padding, 2]), ...new Array<number>(padding).fill(0x5a)];
    // Version, flags, method, time and date, checksum, sizes, lengths of name and extra field.
    const common = (extraSize: number): number[] => [
      ...fields([45, 2], [UTF8, 2], [0, 2], [0, 4], [crc32(bytes), 4]),
      ...fields([WIDE4, 4], [WIDE4, 4], [nameBytes.length, 2], [extraSize, 2]),
    ];
    const local = [...fields([0x04034b50, 4]), ...common(extra.length), ...nameBytes, ...extra];
    const place = fields([1, 2], [24, 2], [size, 8], [size, 8], [at, 8]);
    central.push(...fields([0x02014b50, 4], [45, 2]), ...common(place.length));
    central.push(...fields([0, 2], [0, 2], [0, 2], [0, 4], [WIDE4, 4]), ...nameBytes, ...place);
    pieces.push(Uint8Array.from(local), bytes);
    at += local.length + size;
  }
  const [count, length] = [parts.length, central.length];
  const end = [
    ...fields([0x06064b50, 4], [44, 8], [45, 2], [45, 2], [0, 4], [0, 4], [count, 8], [count, 8], [length, 8], [at, 8]),
    ...fields([0x07064b50, 4], [0, 4], [at + length, 8], [1, 4]),
    ...fields([0x06054b50, 4], [0, 2], [0, 2], [WIDE2, 2], [WIDE2, 2], [WIDE4, 4], [WIDE4, 4], [0, 2]),
  ];
  return [...pieces, Uint8Array.from(central), Uint8Array.from(end)];
}
