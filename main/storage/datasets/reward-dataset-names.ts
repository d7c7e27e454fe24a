/** The files of a reward dataset, and the byte order of what is in them. */
import { endianness } from 'node:os';
import type { Split } from '../../engine/reward/reward-data.js';

export type { Split } from '../../engine/reward/reward-data.js';

export const splits: readonly Split[] = ['train', 'val'];

export const namesOf = (split: Split) => ({
  x: `${split}_x.bin`,
  y: `${split}_y.bin`,
  metadata: `${split}_metadata.txt`,
});

export function floatBytes(values: Float32Array): Uint8Array {
  return new Uint8Array(littleEndianFloats(values.slice()).buffer);
}

/** Between the file's byte order and the machine's, in place. */
export function littleEndianFloats(values: Float32Array, machine = endianness()): Float32Array {
  if (machine === 'BE') Buffer.from(values.buffer, values.byteOffset, values.byteLength).swap32();
  return values;
}
