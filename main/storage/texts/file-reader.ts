/** The worker's side of hostile-file.ts, a program of its own: one file after the other, a piece each time one is asked for. */
import { parentPort } from 'node:worker_threads';
import { ZSTDDecoder } from 'zstddec/stream';
import type { DocumentKind } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { docxFile, epubFile } from './documents/archives.js';
import { htmlFile } from './documents/html.js';
import type { FileReading, FromFileReader, ToFileReader } from './hostile-file.js';
import { parquetTexts } from './parquet.js';
import { unzstd } from './zstd.js';

const zstd = new ZSTDDecoder();
const documents = { html: htmlFile, epub: epubFile, docx: docxFile } satisfies Record<DocumentKind, unknown>;

function pieces(reading: FileReading): Iterator<unknown> {
  switch (reading.kind) {
    case 'parquet':
      return parquetTexts(reading.file, reading.column, zstd);
    case 'zstd':
      return unzstd(reading.file, zstd);
    case 'document':
      return documents[reading.format](reading.file);
  }
}

let current: Iterator<unknown> = [][Symbol.iterator]();

function next(): FromFileReader {
  try {
    const { value, done } = current.next();
    return done === true ? { done } : { piece: value };
  } catch (error) {
    if (error instanceof UserError) return { fault: error.toFault() };
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

const ready = zstd.init();
parentPort?.on('message', (message: ToFileReader) => {
  void ready.then(() => {
    if (message !== 'next') current = pieces(message.begin);
    else parentPort?.postMessage(next());
  });
});
