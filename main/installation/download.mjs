// Downloads one large file without losing finished parts: it grows in `<target>.part`, resumes after an interruption
// (HTTP Range), and gets its name only if its hash is the expected one.
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, refusal, Refused, Unavailable } from './http-get.mjs';

/**
 * @typedef {object} Report
 * @property {(text: string) => void} say one line
 * @property {(label: string, done: number, total: number) => void} progress bytes done of bytes in total
 */

/** The bytes that arrived have another hash. */
export class WrongHash extends Error {
  /**
   * @param {string} found
   * @param {string} wanted
   */
  constructor(found, wanted) {
    super(`the file that arrived has SHA-256 ${found}, not ${wanted}`);
    this.name = 'WrongHash';
  }
}

/**
 * @param {string} path
 * @param {string} [algorithm]
 * @param {string} [before] what is hashed before the file: git's name of a file begins with its length
 * @returns {Promise<string>} hexadecimal
 */
export async function hashFile(path, algorithm = 'sha256', before = '') {
  const hash = createHash(algorithm).update(before);
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** @param {string} path */
const sizeOf = (path) => (existsSync(path) ? statSync(path).size : 0);

/**
 * @typedef {import('./http-get.mjs').GetOptions & { label: string, report: Report, size: number | undefined }} Attempt
 */

/**
 * Where the answer to a request from byte `offset` on begins.
 * @param {import('node:http').IncomingMessage} response
 * @param {string} part
 * @param {number} offset
 * @returns {number | null} null: nothing is missing
 */
function beginning(response, part, offset) {
  const status = response.statusCode ?? 0;
  if (status === 416) {
    // Nothing after `offset`: the part is whole (its hash decides), or longer than the file.
    response.destroy();
    if (response.headers['content-range'] === `bytes */${String(offset)}`) return null;
    rmSync(part, { force: true });
    throw new Error('the part fetched before does not fit');
  }
  if (status !== 200 && status !== 206) throw refusal(response);
  if (status === 200) return 0; // the server does not do ranges: from the start
  if (response.headers['content-range']?.startsWith(`bytes ${String(offset)}-`)) return offset;
  response.destroy();
  rmSync(part, { force: true });
  throw new Error('the server sent another range than was retryAfter for');
}

/**
 * One attempt: adds to the part file whatever the server sends.
 * @param {URL} url
 * @param {string} part
 * @param {Attempt} options
 */
async function fetchOnce(url, part, options) {
  const { size, signal } = options;
  const offset = sizeOf(part);
  if (size !== undefined && offset === size && size > 0) return;
  if (size !== undefined && offset > size) {
    rmSync(part, { force: true });
    throw new Error('the part fetched before is longer than the file');
  }
  const range = offset > 0 ? { range: `bytes=${String(offset)}-` } : {};
  const response = await get(url, { ...options, headers: { ...options.headers, ...range } });
  const from = beginning(response, part, offset);
  if (from === null) return;
  const length = Number(response.headers['content-length'] ?? NaN);
  const total = size ?? from + (Number.isFinite(length) ? length : 0);
  if (size !== undefined && Number.isFinite(length) && from + length !== size) {
    response.destroy();
    throw new Refused(`the server has ${String(from + length)} bytes of it, ${String(size)} were said`, response);
  }
  let done = from;
  response.on('data', (/** @type {Buffer} */ chunk) => {
    done += chunk.length;
    if (size !== undefined && done > size) response.destroy(new Refused('the server sent more than it had said'));
    else options.report.progress(options.label, done, Math.max(total, done));
  });
  const file = createWriteStream(part, { flags: from > 0 ? 'a' : 'w' });
  await pipeline(response, file, signal ? { signal } : {});
  if (done < total) throw new Error('the connection ended early');
}

/** Of the disk, which no server can help. */
const localTroubles = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EACCES', 'EISDIR', 'ENOENT']);

/** Longest that a server is believed when it says when to come again. */
const MAX_WAIT = 120;

/**
 * Does something that needs a network until it works. Gives up after `attempts` in a row that brought nothing new.
 * @template T
 * @param {() => Promise<T>} action
 * @param {object} options
 * @param {number} [options.attempts]
 * @param {number} [options.pauseSeconds] before the first retry; doubles
 * @param {AbortSignal | undefined} [options.signal]
 * @param {() => number} [options.progress] grows while something new arrives
 * @param {(error: Error) => void} [options.onRetry]
 * @returns {Promise<T>}
 * @throws what the last attempt threw; at once where trying again would not help
 */
export async function retrying(action, { attempts = 5, pauseSeconds = 1, signal, progress = () => 0, onRetry }) {
  let failures = 0;
  for (;;) {
    const before = progress();
    try {
      return await action();
    } catch (thrown) {
      const error = /** @type {NodeJS.ErrnoException} */ (thrown);
      const isLocal = error.code !== undefined && localTroubles.has(error.code);
      if (signal?.aborted || error instanceof Refused || error instanceof WrongHash || isLocal) throw error;
      failures = progress() > before ? 1 : failures + 1;
      if (failures >= attempts) throw error;
      onRetry?.(error);
      const retryAfter = error instanceof Unavailable ? (error.retryAfter ?? 0) : 0;
      const pause = Math.max(pauseSeconds * 2 ** (failures - 1), Math.min(retryAfter, MAX_WAIT));
      await sleep(pause * 1000, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * Fetches `url` into `target`. Tries again while the connection breaks, always from where it stopped; gives up after
 * `attempts` in a row that brought nothing new.
 * @param {object} options
 * @param {string} options.url http or https
 * @param {string} options.target
 * @param {string} options.sha256 hexadecimal
 * @param {'sha256' | 'git'} [options.kind] what `sha256` is: git's SHA-1 of a file instead
 * @param {number} [options.size] bytes, where they are known; an answer of another length is refused
 * @param {string} options.label what the progress is of
 * @param {Report} options.report
 * @param {Readonly<Record<string, string>>} [options.headers]
 * @param {AbortSignal | undefined} [options.signal] ends it; what has arrived is kept
 * @param {readonly string[] | undefined} [options.certificates] PEM certificates to trust instead of Node's own list
 * @param {number} [options.attempts]
 * @param {number} [options.stallSeconds] a connection that is silent for so long counts as broken
 * @param {number} [options.pauseSeconds] before the first retry; doubles
 * @throws {WrongHash} and the file is removed; ENOSPC and the like; the last network error
 */
export async function download(options) {
  const { target, sha256, kind = 'sha256', size, label, report, certificates, headers = {}, signal } = options;
  const settings = { label, report, certificates, headers, signal, size, stallSeconds: options.stallSeconds ?? 60 };
  const part = `${target}.part`;
  mkdirSync(dirname(target), { recursive: true });
  let resumed = sizeOf(part) > 0;
  if (resumed) report.say(`  ${label}: resuming from byte ${String(sizeOf(part))}, where the last download stopped.`);

  for (;;) {
    await retrying(() => fetchOnce(new URL(options.url), part, settings), {
      ...options,
      progress: () => sizeOf(part),
      onRetry(error) {
        report.say(`  ${label}: ${error.message}; trying again.`);
        resumed = sizeOf(part) > 0;
      },
    });
    if (!existsSync(part)) closeSync(openSync(part, 'w')); // a file of no bytes
    const found = await (kind === 'git' ? hashFile(part, 'sha1', `blob ${String(sizeOf(part))}\0`) : hashFile(part));
    if (found === sha256) break;
    rmSync(part, { force: true });
    // What was kept from an earlier time may have been of another file: once from the start before giving up.
    if (!resumed) throw new WrongHash(found, sha256);
    resumed = false;
  }
  // On the disk before it has its name.
  const file = openSync(part, 'r+');
  fsyncSync(file);
  closeSync(file);
  renameSync(part, target);
}
