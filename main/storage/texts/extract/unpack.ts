/** Unpacks gzip and Zstandard by chunks, and refuses files that unpack to an enormous size. */
import { localized } from '../../../../shared/messages/message.js';
import { pipeline, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { UserError } from '../../../../shared/errors.js';
import { piecesOf } from '../../../formats/byte-source.js';
import type { OpenFile } from '../../disk/file-bytes.js';
import { systemCode } from '../../../../shared/file-faults.js';
import type { Packing } from '../identify.js';
import { readInWorker } from './in-worker.js';
import type { UnpackedPiece } from './zstd.js';

export interface Chunk {
  readonly bytes: Buffer;
  readonly fileBytes: number;
}

/** Small pieces keep what one of them can unpack to within bounds. */
const PACKED_BYTES = 1 << 12;
const UNPACKED_BYTES = 1 << 18;

/** Text packs to a tenth, a log to a fiftieth; what packs further is nothing to learn from. */
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
  const count: Count = (bytes, fileBytes) => {
    unpacked += bytes;
    if (unpacked > FREE_BYTES + MAX_RATIO * fileBytes) throw bomb(file, unpacked, fileBytes);
  };
  try {
    yield* packing === 'gzip' ? gunzip(source, count) : unzstd(file, count);
  } catch (error) {
    if (error instanceof UserError || systemCode(error) !== null) throw error;
    throw new UserError(
      {
        code: 'file_damaged',
        message: localized('extract.cannot_unpacked', {
          file,
          packing,
          error: error instanceof Error ? error.message : String(error),
        }),
        hint: localized('extract.file_cut_short_damaged_use'),
        field: 'data_path',
      },
      { cause: error },
    );
  }
}

/** Receives numbers of unpacked bytes, and of file bytes read for them; throws if there are too many. */
type Count = (bytes: number, fileBytes: number) => void;

function* fileChunks(source: OpenFile, pieceBytes: number): Generator<Chunk> {
  let fileBytes = 0;
  for (const bytes of piecesOf(source, pieceBytes)) {
    fileBytes += bytes.length;
    yield { bytes, fileBytes };
  }
}

async function* gunzip(source: OpenFile, count: Count): AsyncGenerator<Chunk> {
  let fileBytes = 0;
  function* packed() {
    for (const chunk of fileChunks(source, PACKED_BYTES)) {
      fileBytes = chunk.fileBytes;
      yield chunk.bytes;
    }
  }
  // Its errors reach the loop below; the callback only keeps them from being thrown elsewhere too.
  const unpacked = pipeline(Readable.from(packed()), zlib.createGunzip({ chunkSize: UNPACKED_BYTES }), () => undefined);
  for await (const bytes of unpacked) {
    count((bytes as Buffer).length, fileBytes);
    yield { bytes: bytes as Buffer, fileBytes };
  }
}

async function* unzstd(file: string, count: Count): AsyncGenerator<Chunk> {
  for await (const { bytes, fileBytes } of readInWorker<UnpackedPiece>({ kind: 'zstd', file })) {
    count(bytes.length, fileBytes);
    yield { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), fileBytes };
  }
}

function bomb(file: string, unpacked: number, packed: number): UserError {
  return new UserError({
    code: 'bad_input',
    message: localized('extract.unpacks_more_times_size_bytes', { file, MAX_RATIO, unpacked, packed }),
    hint: localized('extract.unpack_yourself_look_name_unpacked'),
    field: 'data_path',
  });
}
