/** Serves bytes in memory as the readers take them from a file. */
import type { ByteSource } from '../../../main/formats/byte-source.js';

/** Fails when a reader asks for bytes outside of the file. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    byteLength: bytes.length,
    read(position, into) {
      if (!(position >= 0 && position + into.length <= bytes.length)) throw new Error('read outside of the file');
      into.set(bytes.subarray(position, position + into.length));
    },
  };
}
