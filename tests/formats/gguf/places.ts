/** Serves bytes in memory as readers take them from a file. */
import type { ByteSource } from '../../../main/formats/byte-source.js';

/** Fails on reads outside of the file. @param onRead sees every read */
export function sourceOf(
  bytes: Uint8Array,
  onRead: (position: number, count: number) => void = () => undefined,
): ByteSource {
  return {
    byteLength: bytes.length,
    read(position, into) {
      if (!(position >= 0 && position + into.length <= bytes.length)) throw new Error('read outside of the file');
      onRead(position, into.length);
      into.set(bytes.subarray(position, position + into.length));
    },
  };
}
