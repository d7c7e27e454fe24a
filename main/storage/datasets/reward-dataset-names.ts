/** Names the files of a reward dataset. Numbers in them are little-endian, as every supported machine's. */
import type { Split } from '../../engine/reward/reward-data.js';

export type { Split } from '../../engine/reward/reward-data.js';

export const splits: readonly Split[] = ['train', 'val'];

export const namesOf = (split: Split) => ({
  x: `${split}_x.bin`,
  y: `${split}_y.bin`,
  metadata: `${split}_metadata.txt`,
});

export const floatBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
