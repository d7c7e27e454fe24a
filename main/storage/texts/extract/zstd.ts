/** Unpacks Zstandard with the reference decoder (WebAssembly). Runs in file-reader.ts. */
import type { ZSTDDecoder } from 'zstddec/stream';
import { localized } from '../../../../shared/messages/message.js';
import { piecesOf } from '../../../formats/byte-source.js';
import type { OpenFile } from '../../disk/file-bytes.js';
import { damagedPacking, inBatches, type UnpackedPiece } from './pieces.js';

/** Small pieces bound what one of them can unpack to. */
const PACKED_BYTES = 1 << 12;
/** Size of a batch: blocks can be of one byte, and each batch is a message. */
const PIECE_BYTES = 1 << 18;
/** Overhead of a block, whatever its length. */
const OBJECT_BYTES = 1 << 8;

/** @throws UserError `file_damaged`; Error of the decoder */
export function* unzstd(file: string, source: OpenFile, decoder: ZSTDDecoder): Generator<UnpackedPiece> {
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
      else if (++empty > PACKED_BYTES) throw damagedPacking(file, 'zstd', localized('extract.zstd_unreadable'));
    }
  };
  for (const batch of inBatches(blocks(), PIECE_BYTES, ({ length }) => length + OBJECT_BYTES)) {
    yield { bytes: Buffer.concat(batch), fileBytes };
  }
}
