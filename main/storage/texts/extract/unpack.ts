/** Unpacks gzip and Zstandard by chunks, and refuses files that unpack to an enormous size. */
import { pipeline, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { UserError } from '../../../../shared/errors.js';
import { systemCode } from '../../../../shared/file-faults.js';
import { bytes, localized } from '../../../../shared/messages/message.js';
import { piecesOf } from '../../../formats/byte-source.js';
import type { OpenFile } from '../../disk/file-bytes.js';
import type { Packing } from '../identify.js';
import { readInWorker, reasonOf } from './in-worker.js';
import { damagedPacking, type Piece, type UnpackedPiece } from './pieces.js';

export type Chunk = Piece<{ readonly bytes: Buffer }>;

/** Small pieces bound what one of them can unpack to. */
const PACKED_BYTES = 1 << 12;
const UNPACKED_BYTES = 1 << 18;

/** Text packs to a tenth, a log to a fiftieth; there is nothing to learn from what packs further. */
const MAX_RATIO = 250;
const FREE_BYTES = 16 << 20;

/** Reads the unpacked bytes; does not close the file. @throws UserError `file_damaged`, `bad_input` for too much */
export async function* unpackedChunks(
  file: string,
  source: OpenFile,
  packing: Packing | null,
  pieceBytes: number,
): AsyncGenerator<Chunk> {
  if (packing === null) {
    yield* fileChunks(source, pieceBytes);
    return;
  }
  let unpacked = 0;
  try {
    for await (const chunk of packing === 'gzip' ? gunzip(source) : unzstd(file)) {
      unpacked += chunk.bytes.length;
      if (unpacked > FREE_BYTES + MAX_RATIO * chunk.fileBytes) throw tooLarge(file, unpacked, chunk.fileBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof UserError || systemCode(error) !== null) throw error;
    throw damagedPacking(file, packing, reasonOf(error), error);
  }
}

function* fileChunks(source: OpenFile, pieceBytes: number): Generator<Chunk> {
  let fileBytes = 0;
  for (const bytes of piecesOf(source, pieceBytes)) {
    fileBytes += bytes.length;
    yield { bytes, fileBytes };
  }
}

async function* gunzip(source: OpenFile): AsyncGenerator<Chunk> {
  let fileBytes = 0;
  function* packed() {
    for (const chunk of fileChunks(source, PACKED_BYTES)) {
      fileBytes = chunk.fileBytes;
      yield chunk.bytes;
    }
  }
  // Its errors reach the loop below; the callback only prevents that they are thrown elsewhere too.
  const unpacked = pipeline(Readable.from(packed()), zlib.createGunzip({ chunkSize: UNPACKED_BYTES }), () => undefined);
  for await (const bytes of unpacked) yield { bytes: bytes as Buffer, fileBytes };
}

async function* unzstd(file: string): AsyncGenerator<Chunk> {
  for await (const { bytes, fileBytes } of readInWorker<UnpackedPiece>({ kind: 'zstd', file })) {
    yield { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), fileBytes };
  }
}

function tooLarge(file: string, unpacked: number, packed: number): UserError {
  const sizes = { unpacked: bytes(unpacked), packed: bytes(packed) };
  return new UserError({
    code: 'bad_input',
    message: localized('extract.unpacks_to_too_much', { file, ratio: MAX_RATIO, ...sizes }),
    hint: localized('extract.unpack_yourself_look_name_unpacked'),
    field: 'data_path',
  });
}
