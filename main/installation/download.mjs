// Downloads one large file without losing finished parts: it grows in `<target>.part`, resumes after an interruption
// (HTTP Range), and gets its name only if its hash is the expected one.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, refusal, Refused, Unavailable } from './http-get.mjs';

/** @typedef {import('../../shared/messages/message.js').Message} Message */

/**
 * @typedef {object} Report
 * @property {(message: Message) => void} say
 * @property {(label: string, done: number, total: number) => void} progress bytes done of bytes in total
 */

/** The bytes that arrived have another hash. */
export class WrongHash extends Error {
  /** @param {string} found @param {string} wanted */
  constructor(found, wanted) {
    super(`SHA-256 ${found} ≠ ${wanted}`);
    this.name = 'WrongHash';
  }
}

/**
 * @param {string} path
 * @param {string} [algorithm]
 * @param {string} [prefix] hashed before the file: git's name of a file begins with its length
 * @returns {Promise<string>} hexadecimal
 */
export async function hashFile(path, algorithm = 'sha256', prefix = '') {
  const hash = createHash(algorithm).update(prefix);
  await pipeline(fs.createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** @param {string} path */
const sizeOf = (path) => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** @param {string} part @returns {never} */
function restart(part) {
  fs.rmSync(part, { force: true });
  throw new Error('ERANGE');
}

/**
 * Where the answer to a request from byte `offset` on begins; null if nothing is missing.
 * @param {import('node:http').IncomingMessage} response
 * @param {string} part
 * @param {number} offset
 */
function beginning(response, part, offset) {
  const { statusCode: status, headers } = response;
  if (status === 416) {
    // Nothing after `offset`: the part is complete (its hash decides), or longer than the file.
    response.destroy();
    return headers['content-range'] === `bytes */${offset}` ? null : restart(part);
  }
  if (status !== 200 && status !== 206) throw refusal(response);
  if (status === 200) return 0; // a server without ranges: from the start
  if (headers['content-range']?.startsWith(`bytes ${offset}-`)) return offset;
  response.destroy();
  return restart(part);
}

/**
 * One attempt: appends what the server sends to the part file.
 * @param {URL} url
 * @param {string} part
 * @param {import('./http-get.mjs').GetOptions & { label: string, report: Report, size: number | undefined }} options
 */
async function fetchOnce(url, part, options) {
  const { size, signal } = options;
  const offset = sizeOf(part);
  if (size !== undefined && offset === size && size > 0) return;
  if (size !== undefined && offset > size) restart(part);
  const range = offset > 0 ? { range: `bytes=${offset}-` } : {};
  const response = await get(url, { ...options, headers: { ...options.headers, ...range } });
  const from = beginning(response, part, offset);
  if (from === null) return;
  const length = Number(response.headers['content-length'] ?? NaN);
  const total = size ?? from + (Number.isFinite(length) ? length : 0);
  if (size !== undefined && Number.isFinite(length) && from + length !== size) {
    response.destroy();
    throw new Refused(`${from + length} ≠ ${size} bytes`, response);
  }
  let done = from;
  response.on('data', (/** @type {Buffer} */ chunk) => {
    done += chunk.length;
    if (size !== undefined && done > size) response.destroy(new Refused(`> ${size} bytes`));
    else options.report.progress(options.label, done, Math.max(total, done));
  });
  const file = fs.createWriteStream(part, { flags: from > 0 ? 'a' : 'w' });
  await pipeline(response, file, signal ? { signal } : {});
  if (done < total) throw new Error('ECONNRESET');
}

/** Errors of the disk, which no server can help. */
const localTroubles = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EACCES', 'EISDIR', 'ENOENT']);

/** The longest wait, in seconds, that a server may ask for. */
const MAX_WAIT = 120;

/**
 * Repeats something that needs a network until it works; gives up after `attempts` in a row without anything new.
 * @template T
 * @param {() => Promise<T>} action
 * @param {object} options
 * @param {number} [options.attempts]
 * @param {number} [options.pauseSeconds] before the first retry; doubles
 * @param {AbortSignal | undefined} [options.signal]
 * @param {() => number} [options.progress] grows while something new arrives
 * @param {(error: Error) => void} [options.onRetry]
 * @returns {Promise<T>}
 * @throws the last attempt's error; at once if trying again would not help
 */
export async function retrying(action, { attempts = 5, pauseSeconds = 1, signal, progress = () => 0, onRetry }) {
  let failures = 0;
  for (;;) {
    const arrived = progress();
    try {
      return await action();
    } catch (thrown) {
      const error = /** @type {NodeJS.ErrnoException} */ (thrown);
      const isLocal = error.code !== undefined && localTroubles.has(error.code);
      if (signal?.aborted || error instanceof Refused || error instanceof WrongHash || isLocal) throw error;
      failures = progress() > arrived ? 1 : failures + 1;
      if (failures >= attempts) throw error;
      onRetry?.(error);
      const retryAfter = error instanceof Unavailable ? (error.retryAfter ?? 0) : 0;
      const pause = Math.max(pauseSeconds * 2 ** (failures - 1), Math.min(retryAfter, MAX_WAIT));
      await sleep(pause * 1000, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * Fetches `url` into `target`. After a broken connection it continues there; it gives up after `attempts` in a row without
 * anything new.
 * @param {object} options
 * @param {string} options.url http or https
 * @param {string} options.target
 * @param {string} options.sha256 hexadecimal
 * @param {'sha256' | 'git'} [options.kind] git: `sha256` is git's SHA-1 of the file
 * @param {number} [options.size] bytes, if known; an answer of another length is refused
 * @param {string} options.label of the progress
 * @param {Report} options.report
 * @param {Readonly<Record<string, string>>} [options.headers]
 * @param {AbortSignal | undefined} [options.signal] ends it; the arrived part stays
 * @param {readonly string[] | undefined} [options.certificates] PEM certificates to trust instead of Node's own list
 * @param {number} [options.attempts]
 * @param {number} [options.stallSeconds] after which a silent connection counts as broken
 * @param {number} [options.pauseSeconds] before the first retry; doubles
 * @throws {WrongHash} and the file is removed; ENOSPC and the like; the last network error
 */
export async function download(options) {
  const { target, sha256, kind = 'sha256', label, report, size, stallSeconds = 60 } = options;
  const settings = { ...options, size, stallSeconds };
  const part = `${target}.part`;
  fs.mkdirSync(dirname(target), { recursive: true });
  let resumed = sizeOf(part) > 0;
  if (resumed) report.say({ code: 'download.resumes', params: { file: label, byte: sizeOf(part) } });

  for (;;) {
    await retrying(() => fetchOnce(new URL(options.url), part, settings), {
      ...options,
      progress: () => sizeOf(part),
      onRetry({ message }) {
        report.say({ code: 'download.retries', params: { file: label, why: message } });
        resumed = sizeOf(part) > 0;
      },
    });
    if (!fs.existsSync(part)) fs.writeFileSync(part, ''); // an empty file
    const found = await (kind === 'git' ? hashFile(part, 'sha1', `blob ${sizeOf(part)}\0`) : hashFile(part));
    if (found === sha256) break;
    fs.rmSync(part, { force: true });
    // An earlier part may be of another file: start over once before giving up.
    if (!resumed) throw new WrongHash(found, sha256);
    resumed = false;
  }
  // On the disk before it has its name.
  const file = fs.openSync(part, 'r+');
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(part, target);
}
