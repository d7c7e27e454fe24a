/** Unpacks Zstandard with the reference decoder (WebAssembly). Runs in file-reader.ts. */
import type { ZSTDDecoder } from 'zstddec/stream';
import { piecesOf } from '../../../formats/byte-source.js';
import { openFile } from '../../disk/file-bytes.js';
import { inBatches } from './batches.js';

/** Small pieces keep what one of them can unpack to within bounds. */
const PACKED_BYTES = 1 << 12;
/** Size of a batch: blocks can be of one byte, and each batch is a message. */
const PIECE_BYTES = 1 << 18;
/** Overhead of a block, whatever its length. */
const OBJECT_BYTES = 1 << 8;

export interface UnpackedPiece {
  readonly bytes: Uint8Array;
  readonly fileBytes: number;
}

/** @throws Error if it cannot be unpacked */
export function* unzstd(file: string, decoder: ZSTDDecoder): Generator<UnpackedPiece> {
  const source = openFile(file);
  try {
    let fileBytes = 0;
    let empty = 0;
    const packed = function* (): Generator<Uint8Array> {
      for (const bytes of piecesOf(source, PACKED_BYTES)) {
        fileBytes += bytes.length;
        empty = 0;
        yield bytes;
      }
    };
    const blocks = function* (): Generator<Uint8Array> {
      for (const bytes of decoder.decodeStreaming(packed())) {
        if (bytes.length > 0) yield bytes;
        // On what it cannot read, the decoder yields empty blocks for ever; progress takes a byte at least.
        else if (++empty > PACKED_BYTES) {
          throw new Error(
            'its bytes are not those that were packed, or it needs a dictionary, or a window above 128 MB',
          );
        }
      }
    };
    for (const batch of inBatches(blocks(), PIECE_BYTES, ({ length }) => length + OBJECT_BYTES)) {
      yield { bytes: Buffer.concat(batch), fileBytes };
    }
  } finally {
    source.close();
  }
}
