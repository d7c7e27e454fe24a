/** Bytes read by position, so that a file larger than memory, or than one buffer, can be read a part at a time. */
export interface ByteSource {
  readonly byteLength: number;
  /** Fills `into` from `position` on; both are within the source. */
  read(position: number, into: Uint8Array): void;
}

export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    byteLength: bytes.byteLength,
    read: (position, into) => into.set(bytes.subarray(position, position + into.byteLength)),
  };
}

export function bytesAt(source: ByteSource, position: number, count: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(count);
  source.read(position, bytes);
  return bytes;
}

/** The beginning, at most `most` bytes. */
export const firstBytes = (source: ByteSource, most: number): Buffer<ArrayBuffer> =>
  bytesAt(source, 0, Math.min(most, source.byteLength));

/** Yields the bytes between two positions in pieces of at most `size`, each in its own memory. */
export function* piecesOf(
  source: ByteSource,
  size: number,
  from = 0,
  until = source.byteLength,
): Generator<Buffer<ArrayBuffer>> {
  for (let position = from; position < until; position += size) {
    yield bytesAt(source, position, Math.min(size, until - position));
  }
}
