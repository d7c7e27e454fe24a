/** Runs in the worker of in-worker.ts, as a program of its own: reads one file after the other, a piece per request. */
import { parentPort } from 'node:worker_threads';
import { ZSTDDecoder } from 'zstddec/stream';
import { UserError } from '../../../../shared/errors.js';
import { localized } from '../../../../shared/messages/message.js';
import { piecesOf } from '../../../formats/byte-source.js';
import { type OpenFile, openFile } from '../../disk/file-bytes.js';
import { docxTexts, epubTexts } from './documents/archives.js';
import { htmlTexts } from './documents/html.js';
import { rtfTexts } from './documents/rtf.js';
import type { FileReading, FromFileReader, ToFileReader } from './in-worker.js';
import { parquetTexts } from './parquet.js';
import { damagedDocument, damagedPacking, inBatches, type UnpackedPiece } from './pieces.js';

const zstd = new ZSTDDecoder();

async function* pieces(reading: FileReading): AsyncGenerator<unknown, void> {
  const source = openFile(reading.file);
  try {
    yield* await readerOf(reading, source);
  } finally {
    source.close();
  }
}

async function readerOf(reading: FileReading, source: OpenFile): Promise<Iterable<unknown> | AsyncIterable<unknown>> {
  const { kind, file } = reading;
  switch (kind) {
    case 'parquet':
      return parquetTexts(file, source, reading.column, zstd);
    case 'zstd':
      return unzstd(file, source);
    case 'html':
    case 'fb2':
      return htmlTexts(file, source, kind);
    case 'rtf':
      return rtfTexts(source, (why) => damagedDocument(file, kind, why));
    case 'epub':
      return epubTexts(source, (why) => damagedDocument(file, kind, why));
    case 'docx':
      return docxTexts(source, (why) => damagedDocument(file, kind, why));
    case 'pdf':
      // Its library is many times as large as the others.
      return (await import('./documents/pdf.js')).pdfTexts(file, source);
  }
}

/** Small pieces bound what one of them can unpack to. */
const PACKED_BYTES = 1 << 12;
/** Size of a batch: blocks can be of one byte, and each batch is a message. */
const PIECE_BYTES = 1 << 18;
/** Overhead of a block, whatever its length. */
const OBJECT_BYTES = 1 << 8;

/** Unpacks Zstandard with the reference decoder (WebAssembly). @throws UserError `file_damaged`; Error of the decoder */
function* unzstd(file: string, source: OpenFile): Generator<UnpackedPiece> {
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
    for (const bytes of zstd.decodeStreaming(packed())) {
      if (bytes.length > 0) yield bytes;
      // On what it cannot read, the decoder yields empty blocks for ever; progress takes a byte at least.
      else if (++empty > PACKED_BYTES) throw damagedPacking(file, 'zstd', localized('extract.zstd_unreadable'));
    }
  };
  for (const batch of inBatches(blocks(), PIECE_BYTES, ({ length }) => length + OBJECT_BYTES)) {
    yield { bytes: Buffer.concat(batch), fileBytes };
  }
}

let current: AsyncGenerator<unknown, void> | null = null;

async function next(): Promise<FromFileReader> {
  try {
    const { value, done } = (await current?.next()) ?? { value: null, done: true };
    return done === true ? { done } : { piece: value };
  } catch (error) {
    if (error instanceof UserError) return { fault: error.toFault() };
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

const ready = zstd.init();
parentPort?.on('message', (message: ToFileReader) => {
  void ready.then(async () => {
    if (message !== 'next') current = pieces(message.begin);
    else parentPort?.postMessage(await next());
  });
});
