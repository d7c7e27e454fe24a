/** Runs in the worker of in-worker.ts, as a program of its own: reads one file after the other, a piece per request. */
import { parentPort } from 'node:worker_threads';
import { ZSTDDecoder } from 'zstddec/stream';
import type { DocumentKind } from '../../../../shared/config/file-kinds.js';
import { UserError } from '../../../../shared/errors.js';
import { docxFile, epubFile } from './documents/archives.js';
import { htmlFile } from './documents/html.js';
import type { DocumentPiece } from './damaged.js';
import type { FileReading, FromFileReader, ToFileReader } from './in-worker.js';
import { parquetTexts } from './parquet.js';
import { unzstd } from './zstd.js';

const zstd = new ZSTDDecoder();
/** Loads its reader, many times as large as the others, only if there is a PDF. */
async function* pdfFile(file: string): AsyncGenerator<DocumentPiece> {
  yield* (await import('./documents/pdf.js')).pdfFile(file);
}
const documents = { html: htmlFile, epub: epubFile, docx: docxFile, pdf: pdfFile } satisfies Record<
  DocumentKind,
  unknown
>;

function pieces(reading: FileReading): Iterator<unknown> | AsyncIterator<unknown> {
  switch (reading.kind) {
    case 'parquet':
      return parquetTexts(reading.file, reading.column, zstd);
    case 'zstd':
      return unzstd(reading.file, zstd);
    case 'document':
      return documents[reading.format](reading.file);
  }
}

let current: Iterator<unknown> | AsyncIterator<unknown> = [][Symbol.iterator]();

async function next(): Promise<FromFileReader> {
  try {
    const { value, done } = await current.next();
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
