// One GET over http or https for the set-up and the program, with redirections, the proxy that the environment names, and a
// time limit on silence. Node's own fetch supports no proxies before Node 24. Error messages are technical, without sentences.
import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';

class HttpError extends Error {
  /** @param {string} message @param {http.IncomingMessage} [response] */
  constructor(message, response) {
    super(message);
    this.name = new.target.name;
    /** 0 without an answer. */
    this.status = response?.statusCode ?? 0;
    this.headers = response?.headers ?? {};
  }
}

/** The server's answer is final: trying again does not help. */
export class Refused extends HttpError {}

/** A failure that may pass. */
export class Unavailable extends HttpError {
  /** Seconds that the server asks to wait, or null. */
  get retryAfter() {
    const after = Number(this.headers['retry-after'] ?? NaN);
    return after >= 0 ? after : null;
  }
}

/**
 * @typedef {object} GetOptions
 * @property {Readonly<Record<string, string>>} [headers] `authorization` is for the first address's server alone
 * @property {readonly string[] | undefined} [certificates] PEM certificates to trust instead of Node's own list
 * @property {number} stallSeconds after which a silent connection counts as broken
 * @property {AbortSignal | undefined} [signal]
 */

const MAX_REDIRECTS = 5;

/** The proxy for an address, as curl reads the environment. @param {URL} url @throws {Refused} if it is no address */
function proxyFor({ protocol, hostname, port }) {
  const named = (/** @type {string} */ name) => process.env[name] || process.env[name.toUpperCase()] || '';
  const proxy = named(`${protocol.slice(0, -1)}_proxy`) || named('all_proxy');
  const exceptions = named('no_proxy')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim().replace(/^\*?\./, ''));
  const isDirect = exceptions.some(
    (entry) =>
      entry === '*' ||
      (entry !== '' && [hostname, `${hostname}:${port}`].some((host) => host === entry || host.endsWith(`.${entry}`))),
  );
  if (proxy === '' || isDirect) return null;
  try {
    return new URL(proxy.includes('://') ? proxy : `http://${proxy}`);
  } catch {
    // Without the name and password it may contain, as the message is logged.
    throw new Refused(`proxy ${proxy.replace(/^(.*:\/\/)?.*@/s, '$1…@')}: ERR_INVALID_URL`);
  }
}

/**
 * The answer to one request; redirections are not followed.
 * @param {URL} url
 * @param {GetOptions} options
 * @returns {Promise<http.IncomingMessage>}
 */
async function requestOnce(url, { headers = {}, certificates, stallSeconds, signal }) {
  const secure = url.protocol === 'https:';
  if (!secure && url.protocol !== 'http:') throw new Refused(`${url.protocol} ERR_INVALID_PROTOCOL`);
  const proxy = proxyFor(url);
  const ca = secure && certificates ? { ca: [...certificates] } : {};
  const abort = signal ? { signal } : {};
  const relayed = proxy !== null && !secure ? relay(proxy, url) : null;
  const tunnelled = proxy !== null && secure ? await tunnel(proxy, url, { ca, stallSeconds, abort }) : {};
  const options = { ...ca, ...abort, ...relayed, ...tunnelled, headers: { ...headers, ...relayed?.headers } };
  return new Promise((resolve, reject) => {
    const client = (secure ? https : http).get(url, options);
    client.setTimeout(stallSeconds * 1000, () => client.destroy(silence(stallSeconds)));
    client.on('error', (error) => reject(proxy === null ? error : throughProxy(error, proxy)));
    client.on('response', resolve);
  });
}

/** A proxy for an http address gets the whole address as path. */
const relay = (/** @type {URL} */ proxy, /** @type {URL} */ url) => ({
  host: proxy.hostname,
  port: proxy.port || 80,
  path: url.href,
  headers: { host: url.host, ...credentials(proxy) },
});

/** @param {URL} proxy @returns {Record<string, string>} */
function credentials({ username, password }) {
  if (username === '') return {};
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
}

/**
 * An encrypted connection through a proxy, which sees only its ends.
 * @param {URL} proxy
 * @param {URL} url
 * @param {{ ca: { ca?: string[] }, stallSeconds: number, abort: { signal?: AbortSignal } }} options
 * @returns {Promise<{ agent: false, createConnection: () => tls.TLSSocket }>}
 */
function tunnel(proxy, url, { ca, stallSeconds, abort }) {
  return new Promise((resolve, reject) => {
    const path = `${url.hostname}:${url.port || '443'}`;
    const headers = { host: path, ...credentials(proxy) };
    const { request } = proxy.protocol === 'https:' ? https : http;
    const client = request(proxy, { method: 'CONNECT', path, headers, ...abort });
    client.setTimeout(stallSeconds * 1000, () => client.destroy(silence(stallSeconds)));
    client.on('error', (error) => reject(throughProxy(error, proxy)));
    client.on('connect', (response, socket) => {
      socket.setTimeout(0);
      if (response.statusCode === 200) {
        const connection = tls.connect({ ...ca, socket, servername: url.hostname });
        resolve({ agent: false, createConnection: () => connection });
        return;
      }
      socket.destroy();
      reject(new Refused(`proxy ${proxy.host}: ${answerOf(response)}`, response));
    });
    client.end();
  });
}

/** @param {NodeJS.ErrnoException} error @param {URL} proxy */
const throughProxy = (error, proxy) =>
  error.name === 'AbortError'
    ? error
    : Object.assign(new Error(`proxy ${proxy.host}: ${error.message}`, { cause: error }), { code: error.code });

const silence = (/** @type {number} */ seconds) => new Error(`ETIMEDOUT (${seconds} s)`);

const answerOf = (/** @type {http.IncomingMessage} */ { statusCode, statusMessage }) =>
  `HTTP ${statusCode} ${statusMessage ?? ''}`.trim();

/**
 * The answer, of any status, after redirections. A redirection to another server takes no `authorization` along, and none leads
 * from an encrypted address to a plain one.
 * @param {URL} url
 * @param {GetOptions} options
 * @throws {Refused}
 */
export async function get(url, options) {
  let [at, headers] = [url, options.headers ?? {}];
  for (let redirects = 0; ; redirects += 1) {
    const response = await requestOnce(at, { ...options, headers });
    const { location } = response.headers;
    const status = response.statusCode ?? 0;
    if (status < 300 || status >= 400 || !location) return response;
    response.destroy();
    const next = new URL(location, at);
    if (redirects === MAX_REDIRECTS || (at.protocol === 'https:' && next.protocol !== 'https:'))
      throw new Refused(`${answerOf(response)} → ${next.href}`, response);
    if (next.origin !== at.origin) {
      const { authorization: _, ...rest } = headers;
      headers = rest;
    }
    at = next;
  }
}

/** Ends an answer that is not the one wanted. @param {http.IncomingMessage} response @returns {Error} to be thrown */
export function refusal(response) {
  response.destroy();
  const status = response.statusCode ?? 0;
  const isPassing = status >= 500 || status === 429 || status === 408;
  return new (isPassing ? Unavailable : Refused)(answerOf(response), response);
}

/**
 * The whole of a small answer.
 * @param {http.IncomingMessage} response
 * @param {number} limit bytes
 * @throws {Refused} if it is longer
 */
export async function bodyOf(response, limit) {
  /** @type {Buffer[]} */
  const pieces = [];
  let length = 0;
  for await (const piece of response) {
    length += piece.length;
    if (length > limit) throw new Refused(`> ${limit} bytes`, response);
    pieces.push(piece);
  }
  const announced = Number(response.headers['content-length'] ?? length);
  if (length !== announced) throw new Error('ECONNRESET');
  return Buffer.concat(pieces);
}
