// One GET over http or https, as set-up and program make it: redirections, a proxy where the environment names one, an end
// to silence. Node's own fetch knows no proxies before Node 24.
import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';

/** The server answered, and asking again would not help. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {http.IncomingMessage} [response] what it answered, where it did
   */
  constructor(message, response) {
    super(message);
    this.name = 'Refused';
    /** 0 where there was no answer. */
    this.status = response?.statusCode ?? 0;
    this.headers = response?.headers ?? {};
  }
}

/** Trouble that may pass, with how long the server asks to wait. */
export class Unavailable extends Error {
  /**
   * @param {string} message
   * @param {http.IncomingMessage} response
   */
  constructor(message, response) {
    super(message);
    this.name = 'Unavailable';
    this.status = response.statusCode ?? 0;
    const after = Number(response.headers['retry-after'] ?? NaN);
    /** Seconds; null where it does not say. */
    this.retryAfter = Number.isFinite(after) && after >= 0 ? after : null;
  }
}

/**
 * @typedef {object} GetOptions
 * @property {Readonly<Record<string, string>>} [headers] `authorization` is for the first address's server alone
 * @property {readonly string[] | undefined} [certificates] PEM certificates to trust instead of Node's own list
 * @property {number} stallSeconds a connection that is silent for so long counts as broken
 * @property {AbortSignal | undefined} [signal]
 */

const MAX_REDIRECTS = 5;

/**
 * The proxy for an address, as curl reads the environment; null for none.
 * @param {URL} url
 * @returns {URL | null}
 * @throws {Refused} when what is named is no address
 */
function proxyFor({ protocol, hostname, port }) {
  const named = (/** @type {string} */ name) =>
    process.env[name.toLowerCase()] || process.env[name.toUpperCase()] || '';
  const proxy = named(`${protocol.slice(0, -1)}_proxy`) || named('all_proxy');
  if (proxy === '') return null;
  const isDirect = named('no_proxy')
    .split(',')
    .map((entry) =>
      entry
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || [hostname, `${hostname}:${port}`].some((host) => isWithin(host, entry)));
  if (isDirect) return null;
  try {
    return new URL(proxy.includes('://') ? proxy : `http://${proxy}`);
  } catch {
    // Without the name and password it may contain, as the message is logged.
    throw new Refused(
      `the proxy that the environment names is no address: ${proxy.replace(/^(.*:\/\/)?.*@/s, '$1…@')}`,
    );
  }
}

const isWithin = (/** @type {string} */ host, /** @type {string} */ domain) =>
  host === domain || host.endsWith(`.${domain}`);

/**
 * The answer to one request, without following it anywhere.
 * @param {URL} url
 * @param {GetOptions} options
 * @returns {Promise<http.IncomingMessage>}
 */
async function requestOnce(url, { headers = {}, certificates, stallSeconds, signal }) {
  const secure = url.protocol === 'https:';
  if (!secure && url.protocol !== 'http:') throw new Refused(`cannot fetch ${url.protocol} addresses`);
  const proxy = proxyFor(url);
  const ca = secure && certificates ? { ca: [...certificates] } : {};
  const relayed = proxy !== null && !secure ? relay(proxy, url) : null;
  const options = {
    ...ca,
    ...relayed,
    ...(proxy !== null && secure ? await tunnel(proxy, url, { ca, stallSeconds, signal }) : {}),
    headers: { ...headers, ...relayed?.headers },
    ...(signal ? { signal } : {}),
  };
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
 * @param {{ ca: { ca?: string[] }, stallSeconds: number, signal: AbortSignal | undefined }} options
 * @returns {Promise<{ agent: false, createConnection: () => tls.TLSSocket }>}
 */
function tunnel(proxy, url, { ca, stallSeconds, signal }) {
  return new Promise((resolve, reject) => {
    const target = `${url.hostname}:${url.port || '443'}`;
    const options = { method: 'CONNECT', path: target, headers: { host: target, ...credentials(proxy) } };
    const client = (proxy.protocol === 'https:' ? https : http).request(proxy, {
      ...options,
      ...(signal ? { signal } : {}),
    });
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
      reject(new Refused(`the proxy ${proxy.host} answered ${answerOf(response)}`, response));
    });
    client.end();
  });
}

/** @param {Error} error @param {URL} proxy */
const throughProxy = (error, proxy) =>
  error.name === 'AbortError'
    ? error
    : Object.assign(new Error(`${error.message} (through the proxy ${proxy.host})`, { cause: error }), {
        code: /** @type {NodeJS.ErrnoException} */ (error).code,
      });

const silence = (/** @type {number} */ seconds) => new Error(`nothing arrived for ${String(seconds)} s`);

const answerOf = (/** @type {http.IncomingMessage} */ { statusCode, statusMessage }) =>
  `${String(statusCode)} ${statusMessage ?? ''}`.trim();

/**
 * The answer, of whatever status, behind redirections. A redirection to another server takes no `authorization` along, and
 * none leads from an encrypted address to a plain one.
 * @param {URL} url
 * @param {GetOptions} options
 * @returns {Promise<http.IncomingMessage>}
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
      throw new Refused(`redirected to ${next.href}`, response);
    if (next.origin !== at.origin) {
      const { authorization: _, ...rest } = headers;
      headers = rest;
    }
    at = next;
  }
}

/**
 * Ends an answer that is not the one wanted.
 * @param {http.IncomingMessage} response
 * @returns {Refused | Unavailable} to be thrown
 */
export function refusal(response) {
  response.destroy();
  const status = response.statusCode ?? 0;
  const text = `the server answered ${answerOf(response)}`;
  return status >= 500 || status === 429 || status === 408
    ? new Unavailable(text, response)
    : new Refused(text, response);
}

/**
 * All of an answer that is small.
 * @param {http.IncomingMessage} response
 * @param {number} limit bytes
 * @returns {Promise<Buffer>}
 * @throws {Refused} where it is longer
 */
export async function bodyOf(response, limit) {
  /** @type {Buffer[]} */
  const pieces = [];
  let length = 0;
  for await (const piece of response) {
    length += piece.length;
    if (length > limit) {
      response.destroy();
      throw new Refused(`the answer is longer than ${String(limit)} bytes`, response);
    }
    pieces.push(piece);
  }
  const announced = Number(response.headers['content-length'] ?? length);
  if (length !== announced) throw new Error('the connection ended early');
  return Buffer.concat(pieces);
}
