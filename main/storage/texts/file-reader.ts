/** The worker's side of hostile-file.ts, a program of its own: one file after the other, a piece each time one is asked for. */
import { parentPort } from 'node:worker_threads';
import { ZSTDDecoder } from 'zstddec/stream';
import { UserError } from '../../../shared/errors.js';
import type { FileReading, FromFileReader, ToFileReader } from './hostile-file.js';
import { parquetTexts } from './parquet.js';
import { unzstd } from './zstd.js';

const zstd = new ZSTDDecoder();

function pieces(reading: FileReading): Iterator<unknown> {
  switch (reading.kind) {
    case 'parquet':
      return parquetTexts(reading.file, reading.column, zstd);
    case 'zstd':
      return unzstd(reading.file, zstd);
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
