/** Runs in the worker of in-worker.ts, as a program of its own: reads one file after the other, a piece per request. */
import { parentPort } from 'node:worker_threads';
import { ZSTDDecoder } from 'zstddec/stream';
import { UserError } from '../../../../shared/errors.js';
import { type OpenFile, openFile } from '../../disk/file-bytes.js';
import { docxTexts, epubTexts } from './documents/archives.js';
import { htmlTexts } from './documents/html.js';
import type { FileReading, FromFileReader, ToFileReader } from './in-worker.js';
import { parquetTexts } from './parquet.js';
import { damagedDocument } from './pieces.js';
import { unzstd } from './zstd.js';

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
      return unzstd(file, source, zstd);
    case 'html':
      return htmlTexts(file, source);
    case 'epub':
      return epubTexts(source, (why) => damagedDocument(file, kind, why));
    case 'docx':
      return docxTexts(source, (why) => damagedDocument(file, kind, why));
    case 'pdf':
      // Its library is many times as large as the others.
      return (await import('./documents/pdf.js')).pdfTexts(file, source);
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
