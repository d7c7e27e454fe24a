// Fetching one large file so that nothing already fetched is lost: it grows in `<target>.part`, resumes there after
// an interruption (HTTP Range), and gets its name only when its SHA-256 is the pinned one.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('./report.mjs').Report} Report */

/** The bytes that arrived are not the pinned ones. */
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

/** The server answered, and asking again would not help. */
class Refused extends Error {}

/**
 * @param {string} path
 * @param {string} [algorithm]
 * @returns {Promise<string>} hexadecimal
 */
export async function hashFile(path, algorithm = 'sha256') {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/**
 * @param {URL} url
 * @param {number} offset first byte wanted
 * @param {{ certificates?: readonly string[] | undefined, stallSeconds: number }} options
 * @param {number} [redirects]
 * @returns {Promise<http.IncomingMessage>}
 */
function request(url, offset, options, redirects = 5) {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    if (!secure && url.protocol !== 'http:') throw new Refused(`cannot fetch ${url.protocol} addresses`);
    const headers = offset > 0 ? { range: `bytes=${String(offset)}-` } : {};
    const ca = secure && options.certificates ? { ca: [...options.certificates] } : {};
    const client = (secure ? https : http).get(url, { headers, ...ca });
    client.setTimeout(options.stallSeconds * 1000, () => {
      client.destroy(new Error(`nothing arrived for ${String(options.stallSeconds)} s`));
    });
    client.on('error', reject);
    client.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const location = response.headers.location;
      if (status < 300 || status === 416 || !location) {
        resolve(response);
        return;
      }
      response.destroy();
      const next = new URL(location, url);
      if (redirects === 0 || (secure && next.protocol !== 'https:')) reject(new Refused(`redirected to ${next.href}`));
      else request(next, offset, options, redirects - 1).then(resolve, reject);
    });
  });
}

/** @param {string} path */
const sizeOf = (path) => (existsSync(path) ? statSync(path).size : 0);

/**
 * One attempt: adds to the part file whatever the server sends.
 * @param {URL} url
 * @param {string} part
 * @param {{ certificates?: readonly string[] | undefined, stallSeconds: number, label: string, report: Report }} options
 */
async function fetchOnce(url, part, options) {
  let offset = sizeOf(part);
  const response = await request(url, offset, options);
  const status = response.statusCode ?? 0;
  if (status === 416) {
    // Nothing after `offset`: the part is whole (its hash will tell), or longer than the file.
    response.destroy();
    if (response.headers['content-range'] !== `bytes */${String(offset)}`) {
      rmSync(part, { force: true });
      throw new Error('the part fetched before does not fit');
    }
    return;
  }
  if (status !== 200 && status !== 206) {
    response.destroy();
    const text = `the server answered ${String(status)} ${response.statusMessage ?? ''}`.trim();
    throw status >= 500 || status === 429 || status === 408 ? new Error(text) : new Refused(text);
  }
  if (status === 206 && !response.headers['content-range']?.startsWith(`bytes ${String(offset)}-`)) {
    response.destroy();
    rmSync(part, { force: true });
    throw new Error('the server sent another range than was asked for');
  }
  if (status === 200) offset = 0; // the server does not do ranges: from the start
  const length = Number(response.headers['content-length'] ?? NaN);
  const total = offset + (Number.isFinite(length) ? length : 0);
  let done = offset;
  response.on('data', (/** @type {Buffer} */ chunk) => {
    done += chunk.length;
    options.report.progress(options.label, done, Math.max(total, done));
  });
  await pipeline(response, createWriteStream(part, { flags: offset > 0 ? 'a' : 'w' }));
  if (Number.isFinite(length) && done < total) throw new Error('the connection ended early');
}

/**
 * Fetches `url` into `target`. Tries again while the connection breaks, always from where it stopped; gives up after
 * `attempts` in a row that brought nothing new.
 * @param {object} options
 * @param {string} options.url http or https
 * @param {string} options.target
 * @param {string} options.sha256 hexadecimal
 * @param {string} options.label what the progress is of
 * @param {Report} options.report
 * @param {readonly string[] | undefined} [options.certificates] PEM certificates to trust instead of Node's own list
 * @param {number} [options.attempts]
 * @param {number} [options.stallSeconds] a connection that is silent for so long counts as broken
 * @param {number} [options.pauseSeconds] before the first retry; doubles
 * @throws {WrongHash} and the file is removed; ENOSPC and the like; the last network error
 */
export async function download(options) {
  const { target, sha256, label, report, certificates } = options;
  const attempts = options.attempts ?? 5;
  const settings = { label, report, certificates, stallSeconds: options.stallSeconds ?? 60 };
  const part = `${target}.part`;
  mkdirSync(dirname(target), { recursive: true });
  let resumed = sizeOf(part) > 0;
  if (resumed) report.say(`  ${label}: resuming from byte ${String(sizeOf(part))}, where the last download stopped.`);

  let failures = 0;
  for (;;) {
    const before = sizeOf(part);
    try {
      await fetchOnce(new URL(options.url), part, settings);
    } catch (error) {
      const code = /** @type {NodeJS.ErrnoException} */ (error).code;
      if (error instanceof Refused || code === 'ENOSPC' || code === 'EACCES') throw error;
      failures = sizeOf(part) > before ? 1 : failures + 1;
      if (failures >= attempts) throw error;
      report.say(`  ${label}: ${/** @type {Error} */ (error).message}; trying again.`);
      await sleep((options.pauseSeconds ?? 1) * 1000 * 2 ** (failures - 1));
      resumed = sizeOf(part) > 0;
      continue;
    }
    const found = await hashFile(part);
    if (found === sha256) break;
    rmSync(part, { force: true });
    // What was kept from an earlier time may have been of another file: once from the start before giving up.
    if (!resumed) throw new WrongHash(found, sha256);
    resumed = false;
  }
  renameSync(part, target);
}
