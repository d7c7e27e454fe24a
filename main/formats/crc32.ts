/** CRC-32 as zip files have it, and CRC-32C (Castagnoli) as TensorBoard's have it; both as unsigned numbers. */
import zip from 'crc-32';
import castagnoli from 'crc-32/crc32c.js';

/** @param before the sum of what came before these bytes; 0 at the beginning */
export const crc32 = (bytes: Uint8Array, before = 0): number => zip.buf(bytes, before) >>> 0;

export const crc32c = (bytes: Uint8Array): number => castagnoli.buf(bytes) >>> 0;
