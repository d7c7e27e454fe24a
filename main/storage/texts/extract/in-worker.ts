/** Reads foreign files in a worker, which is ended after long silence or large growth: their libraries may never end. */
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DocumentKind } from '../../../../shared/config/file-kinds.js';
import { type Fault, UserError } from '../../../../shared/errors.js';
import { localized } from '../../../../shared/messages/message.js';
import type { Reason } from './pieces.js';

export type FileReading =
  | { readonly kind: 'parquet'; readonly file: string; readonly column: string }
  | { readonly kind: 'zstd'; readonly file: string }
  | { readonly kind: DocumentKind; readonly file: string };

/** Message to the worker: begin with a file, or return its next piece. */
export type ToFileReader = { readonly begin: FileReading } | 'next';

/** Answer of the worker to each `next`. A fault is a `UserError`'s, a failure a library's message. */
export type FromFileReader =
  | { readonly piece: unknown }
  | { readonly done: true }
  | { readonly fault: Fault }
  | { readonly failure: string };

/** Program of the worker, built by scripts/setup/file-reader.mjs. */
const FILE_READER = 'file-reader.cjs';

const CHECK_MS = 50;
/** The largest page of a Parquet file takes a tenth of it. */
const MAX_SILENCE_MS = 8000;
/** Growth of the whole process. */
const MAX_GROWTH = 768 << 20;
/** Heap of the worker: far above its growth limit, as V8 may end the whole process when a worker exceeds it. */
const MAX_HEAP_MB = 2048;
/** A worker whose file took more than this is not reused. */
const REUSE_GROWTH = 32 << 20;

class ReaderEnded extends Error {
  constructor(readonly reason: Reason) {
    super('ended');
  }
}

export function reasonOf(error: unknown): Reason {
  if (error instanceof ReaderEnded) return error.reason;
  return error instanceof Error ? error.message : String(error);
}

/** Finds the program above this file, wherever it was bundled to; in a checkout, below `dist`. */
function programText(): string {
  // Bundled to CommonJS there is __filename and no import.meta.url.
  let folder = path.dirname(typeof __filename === 'string' ? __filename : fileURLToPath(import.meta.url));
  for (; ; folder = path.dirname(folder)) {
    const places = [path.join(folder, FILE_READER), path.join(folder, 'dist', FILE_READER)];
    const file = places.find((one) => existsSync(one));
    if (file !== undefined) return readFileSync(file, 'utf8');
    if (folder === path.dirname(folder)) throw new Error(`${FILE_READER} is not built: npm run setup`);
  }
}

let idle: Worker | null = null;

function takeWorker(): Worker {
  const waiting = idle;
  idle = null;
  if (waiting !== null) return waiting;
  const worker = new Worker(programText(), { eval: true, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
  worker.on('error', () => (idle = idle === worker ? null : idle));
  return worker;
}

/** Yields the pieces of a file, reading one ahead. @throws UserError of the reader; Error of a library or an ended worker */
export async function* readInWorker<Piece>(reading: FileReading): AsyncGenerator<Piece> {
  const worker = takeWorker();
  worker.ref();
  const before = process.memoryUsage.rss();
  let isFree = false;
  try {
    worker.postMessage({ begin: reading } satisfies ToFileReader);
    for (let answer = request(worker); ;) {
      const message = await answer;
      // The decoder of Zstandard does not free the memory of a file that it failed at.
      isFree = !('piece' in message) && process.memoryUsage.rss() - before < REUSE_GROWTH;
      if ('fault' in message) throw new UserError(message.fault);
      if ('failure' in message) throw new Error(message.failure);
      if ('done' in message) break;
      answer = request(worker);
      // A failure while the piece is in use surfaces at the next request.
      answer.catch(() => undefined);
      yield message.piece as Piece;
    }
  } finally {
    if (isFree && idle === null) {
      worker.unref();
      idle = worker;
    } else void worker.terminate();
  }
}

/** Requests one answer. Ends the worker, and rejects, if none comes within the limits. */
function request(worker: Worker): Promise<FromFileReader> {
  return new Promise((resolve, reject) => {
    const before = process.memoryUsage.rss();
    let silence = 0;
    const onMessage = (message: FromFileReader): void => settle(() => resolve(message));
    const fail = (reason: Reason): void => settle(() => reject(new ReaderEnded(reason)));
    const onError = (error: NodeJS.ErrnoException): void => {
      fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? localized('extract.too_much_memory') : error.message);
    };
    const onExit = (): void => fail(localized('extract.reader_ended'));
    // Counts checks instead of reading the clock, which also runs while the whole process is suspended.
    const checks = setInterval(() => {
      silence += CHECK_MS;
      const grown = process.memoryUsage.rss() - before > MAX_GROWTH;
      if (!grown && silence < MAX_SILENCE_MS) return;
      fail(localized(grown ? 'extract.too_much_memory' : 'extract.too_much_time'));
      void worker.terminate();
    }, CHECK_MS);
    const settle = (end: () => void): void => {
      clearInterval(checks);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      end();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage('next' satisfies ToFileReader);
  });
}
