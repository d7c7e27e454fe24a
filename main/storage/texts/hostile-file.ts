/**
 * Reads other people's files with libraries that trust them: a file made to do harm could keep one busy for ever or make it
 * take all memory. So they run in a worker (file-reader.ts), which is ended when nothing comes of it for long, or when
 * memory grows too far meanwhile. One worker is kept for the next file; one that had to be ended is not.
 */
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DocumentKind } from '../../../shared/config/file-kinds.js';
import { type Fault, UserError } from '../../../shared/errors.js';

/** What is to be read. */
export type FileReading =
  | { readonly kind: 'parquet'; readonly file: string; readonly column: string }
  | { readonly kind: 'zstd'; readonly file: string }
  | { readonly kind: 'document'; readonly file: string; readonly format: DocumentKind };

/** To the worker: begin with a file; give its next piece. */
export type ToFileReader = { readonly begin: FileReading } | 'next';

/** From the worker, one for each `next`. A fault is a `UserError`'s, a failure what a library says. */
export type FromFileReader =
  | { readonly piece: unknown }
  | { readonly done: true }
  | { readonly fault: Fault }
  | { readonly failure: string };

/** Built for it by scripts/setup/file-reader.mjs. */
const FILE_READER = 'file-reader.cjs';

/** Between two looks at a worker that has not answered. */
const LOOK_MS = 50;
/** The largest page of a Parquet file takes a tenth of it. */
const MAX_SILENCE_MS = 10000;
/** Of all the memory that the process has. */
const MAX_GROWTH = 768 << 20;
/** Of the worker's own objects: far above that, as V8 may end the whole process, not the worker, where one grows past it. */
const MAX_HEAP_MB = 2048;
/** A worker for which the process took more than this is ended when it is done. */
const KEPT_GROWTH = 32 << 20;

/** Found above this file, wherever it was bundled to; in a checkout, below `dist`. */
function programText(): string {
  // Bundled to CommonJS there is __filename and no import.meta.url.
  let folder = path.dirname(typeof __filename === 'string' ? __filename : fileURLToPath(import.meta.url));
  for (; ; folder = path.dirname(folder)) {
    const file = [path.join(folder, FILE_READER), path.join(folder, 'dist', FILE_READER)].find((one) =>
      existsSync(one),
    );
    if (file !== undefined) return readFileSync(file, 'utf8');
    if (folder === path.dirname(folder)) throw new Error(`${FILE_READER} is not built: npm run setup`);
  }
}

/** The worker that waits for the next file. */
let idle: Worker | null = null;

function takeWorker(): Worker {
  const kept = idle;
  idle = null;
  if (kept !== null) return kept;
  const worker = new Worker(programText(), { eval: true, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
  worker.on('error', () => (idle = idle === worker ? null : idle));
  return worker;
}

/**
 * The pieces of a file that its reader makes, one ahead of those that are used.
 * @throws UserError of the reader; Error with the words of a library, or when the worker had to be ended
 */
export async function* readInWorker<Piece>(reading: FileReading): AsyncGenerator<Piece> {
  const worker = takeWorker();
  worker.ref();
  const before = process.memoryUsage.rss();
  let isFree = false;
  try {
    worker.postMessage({ begin: reading } satisfies ToFileReader);
    for (let answer = ask(worker); ;) {
      const said = await answer;
      // What the decoder of Zstandard took for a file that it failed at, it does not give back.
      isFree = !('piece' in said) && process.memoryUsage.rss() - before < KEPT_GROWTH;
      if ('fault' in said) throw new UserError(said.fault);
      if ('failure' in said) throw new Error(said.failure);
      if ('done' in said) break;
      answer = ask(worker);
      // Nobody waits for it while the piece is used; whoever asks for the next one hears of a failure.
      answer.catch(() => undefined);
      yield said.piece as Piece;
    }
  } finally {
    if (isFree && idle === null) {
      worker.unref();
      idle = worker;
    } else void worker.terminate();
  }
}

/** One answer of the worker. It is ended, and the promise rejected, when there is none within the limits. */
function ask(worker: Worker): Promise<FromFileReader> {
  return new Promise((resolve, reject) => {
    const before = process.memoryUsage.rss();
    let silence = 0;
    const onMessage = (message: FromFileReader): void => settle(() => resolve(message));
    const onError = (error: NodeJS.ErrnoException): void => {
      const tooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      settle(() => reject(tooMuch ? new Error('it takes more memory than a file of its kind') : error));
    };
    const onExit = (): void => settle(() => reject(new Error('its reader ended')));
    // Looks are counted, not the clock: it also runs while the whole process is held.
    const looks = setInterval(() => {
      silence += LOOK_MS;
      const grown = process.memoryUsage.rss() - before > MAX_GROWTH;
      if (!grown && silence < MAX_SILENCE_MS) return;
      settle(() => reject(new Error(`it takes more ${grown ? 'memory' : 'time'} than a file of its kind`)));
      void worker.terminate();
    }, LOOK_MS);
    const settle = (end: () => void): void => {
      clearInterval(looks);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      end();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage('next' satisfies ToFileReader);
  });
}
