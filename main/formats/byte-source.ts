/** Bytes read by position, so that a file larger than memory, or than one buffer, can be read a part at a time. */
export interface ByteSource {
  readonly byteLength: number;
  /** Fills `into` from `position` on; both are within the source. */
  read(position: number, into: Uint8Array): void;
}

/** What is in memory already, read as a file is. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    byteLength: bytes.byteLength,
    read: (position, into) => into.set(bytes.subarray(position, position + into.byteLength)),
  };
}

/** Some of its bytes, in memory of their own. */
export function bytesAt(source: ByteSource, position: number, count: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(count);
  source.read(position, bytes);
  return bytes;
}

/** Its beginning, which says what it is: as many bytes as there are, up to `most`. */
export const firstBytes = (source: ByteSource, most: number): Buffer<ArrayBuffer> =>
  bytesAt(source, 0, Math.min(most, source.byteLength));

/** The bytes between two positions, a piece of at most `size` at a time, each in memory of its own. */
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
