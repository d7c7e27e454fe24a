/** CRC-32 as zip files have it, eight bytes at a time. (Kounavis and Berry, "Slicing-by-8", 2005; RFC 1952, section 8.) */

const POLYNOMIAL = 0xedb88320;

/** `tables[k][byte]`: what a byte does to the sum when k more bytes follow it. */
const tables: readonly Int32Array[] = (() => {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1;
    return sum;
  });
  const all = [first];
  for (let k = 1; k < 8; k++) {
    const before = all[k - 1] ?? first;
    all.push(before.map((sum) => (sum >>> 8) ^ (first[sum & 0xff] ?? 0)));
  }
  return all;
})();

/** @param before the sum of what came before these bytes; 0 at the beginning */
export function crc32(bytes: Uint8Array, before = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as unknown as readonly [
    ...[Int32Array, Int32Array, Int32Array, Int32Array],
    ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ];
  const at = (table: Int32Array, index: number) => table[index & 0xff] ?? 0;
  const byte = (i: number) => bytes[i] ?? 0;
  let sum = ~before;
  let i = 0;
  for (; i + 8 <= bytes.length; i += 8) {
    sum ^= byte(i) | (byte(i + 1) << 8) | (byte(i + 2) << 16) | (byte(i + 3) << 24);
    sum =
      at(t7, sum) ^ at(t6, sum >>> 8) ^ at(t5, sum >>> 16) ^ at(t4, sum >>> 24) ^
      at(t3, byte(i + 4)) ^ at(t2, byte(i + 5)) ^ at(t1, byte(i + 6)) ^ at(t0, byte(i + 7)); // prettier-ignore
  }
  for (; i < bytes.length; i++) sum = (sum >>> 8) ^ at(t0, sum ^ byte(i));
  return ~sum >>> 0;
}
