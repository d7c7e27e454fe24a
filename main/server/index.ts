/** Implements `verisim serve`: the window's files over HTTP and the contract over a WebSocket. (docs/security.md) */
import { localized } from '../../shared/messages/message.js';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer } from 'ws';
import type { FileInfo } from '../../shared/contract/values.js';
import { toFault, UserError } from '../../shared/errors.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';
import type { Dispatcher } from '../ipc/dispatcher.js';
import { createRate } from '../ipc/rate.js';
import type { EventBus } from '../services/event-bus.js';
import type { Uploads } from '../services/files/uploads.js';
import { createAccess, type Access } from './access.js';
import { securityHeaders } from './headers.js';
import { withPolicy } from './page-policy.js';
import { createStaticFiles, type StaticFiles } from './static-files.js';
import { MAX_MESSAGE, serveSocket } from './sockets.js';
import { formatFor } from './texts.js';

interface ServerOptions {
  readonly dispatcher: Dispatcher;
  readonly bus: EventBus;
  readonly uploads: Uploads;
  readonly renderer: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

interface RunningServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Browsers connected at once, tabs counted. */
const MAX_SOCKETS = 32;
/** Wrong tokens that are looked at: a few at once, then one every second. */
const guesses = { perSecond: 1, burst: 10 };

/** @throws UserError `bad_input` when the port is taken or the host is not this machine's */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host } = options;
  const http = createServer({ requestTimeout: 0, headersTimeout: 15_000, maxHeaderSize: 16_384 });
  let port = options.port;
  const access = createAccess(host, () => port);
  const files = createStaticFiles(options.renderer);
  const wrongTokens = createRate(guesses.perSecond, guesses.burst);
  http.on('request', (request, response) => {
    respond({ ...options, access, files, wrongTokens }, request, response).catch((error: unknown) => {
      // Most likely the connection broke; a started response cannot be taken back.
      if (!response.headersSent) say(response, 500, plainEnglish(toFault(error).message));
      else response.destroy();
    });
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });
  http.on('upgrade', (request, socket, head) => {
    const refusal = refusalOf(request, access, sockets.clients.size);
    if (refusal !== null) {
      refuse(socket, refusal);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => serveSocket(webSocket, options));
  });
  port = await listen(http, host, options.port);
  const named = host === '0.0.0.0' || host === '::' ? hostname() : host;
  const shown = named.includes(':') ? `[${named}]` : named;
  const at = `http://${shown}:${port}`;
  return {
    address: `${at}/?token=${access.token}`,
    async close() {
      for (const client of sockets.clients) client.close(1001, 'the server ends');
      const closed = once(http, 'close');
      http.close();
      http.closeIdleConnections();
      // Who does not say goodbye within a second is not waited for.
      const timer = setTimeout(() => {
        for (const client of sockets.clients) client.terminate();
        http.closeAllConnections();
      }, 1000);
      await closed;
      clearTimeout(timer);
      sockets.close();
    },
  };
}

async function listen(http: Server, host: string, port: number): Promise<number> {
  try {
    http.listen(port, host);
    await once(http, 'listening');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const isPort = code === 'EADDRINUSE' || code === 'EACCES';
    throw new UserError(
      {
        code: 'bad_input',
        message: isPort
          ? localized('server.port_cannot_used', { port, host, code })
          : localized('server.cannot_listen', { host, code }),
        hint: isPort
          ? localized('server.give_port_another_number_0')
          : localized('server.give_host_address_machine_leave'),
        field: isPort ? 'port' : 'host',
      },
      { cause: error },
    );
  }
  return (http.address() as AddressInfo).port;
}

interface Serving extends ServerOptions {
  readonly access: Access;
  readonly files: StaticFiles;
  readonly wrongTokens: { take(): boolean };
}

async function respond(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { access, wrongTokens } = serving;
  const t = formatFor(request);
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  if (!access.isOurHost(request)) return say(response, 403, t('server.otherName'));
  const url = addressOf(request);
  if (url === null) return say(response, 400, t('server.noAddress'));
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const token = url.searchParams.get('token');
  if (isReading && token !== null) return exchange(response, access.admit(token), wrongTokens, t('server.notAdmitted'));
  if (!access.isAdmitted(request)) return say(response, 401, t('server.notAdmitted'));
  if (request.method === 'POST' && url.pathname === '/upload') {
    if (!access.isOurPage(request)) return say(response, 403, t('server.onlyFiles'));
    return receiveUpload(serving, url, request, response);
  }
  if (request.method === 'POST' && url.pathname === '/upload-folder') {
    if (!access.isOurPage(request)) return say(response, 403, t('server.onlyFiles'));
    return answerUpload(response, () => Promise.resolve(serving.uploads.makeFolder(nameIn(url, 'folder'))));
  }
  if (!isReading) return say(response, 405, t('server.notPossible'));
  const [, downloaded] = /^\/download\/(file_[\w-]{1,64})$/.exec(url.pathname) ?? [];
  if (downloaded !== undefined) return sendDownload(serving, downloaded, response);
  sendFile(serving.files, url.pathname, request, response);
}

const say = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${text}\n`);
};

/** Exchanges a token for a cookie and redirects, so that the token leaves the address bar; `refusal` for a wrong one. */
function exchange(
  response: ServerResponse,
  cookie: string | null,
  wrongTokens: { take(): boolean },
  refusal: string,
): void {
  if (cookie === null) say(response, wrongTokens.take() ? 401 : 429, refusal);
  else response.writeHead(303, { 'Set-Cookie': cookie, Location: '/' }).end();
}

function addressOf(request: IncomingMessage): URL | null {
  try {
    return new URL(`http://verisim${request.url ?? '/'}`);
  } catch {
    return null;
  }
}

function sendFile(files: StaticFiles, path: string, request: IncomingMessage, response: ServerResponse): void {
  // What has no ending is a place inside the window, which finds it by itself.
  const file = files.find(path) ?? (/\.\w+$/.test(path) ? null : files.find('/'));
  if (file === null) {
    const built = files.find('/') !== null;
    const t = formatFor(request);
    say(response, 404, built ? t('server.noFile') : t('server.notBuilt'));
    return;
  }
  const { bytes, policy } = withPolicy(file);
  const headers = { 'Content-Type': file.type, 'Content-Length': bytes.length, 'Content-Security-Policy': policy };
  if (file.immutable) response.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : bytes);
}

/** Streams a file to disk. */
async function receiveUpload(
  { uploads }: Serving,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = Number(request.headers['content-length'] ?? NaN);
  if (!Number.isSafeInteger(size)) return say(response, 411, formatFor(request)('server.lengthFirst'));
  const folder = url.searchParams.get('folder') ?? undefined;
  const chunks = request as AsyncIterable<Uint8Array>;
  return answerUpload(response, () => uploads.receive(nameIn(url, 'file'), size, chunks, folder));
}

/** What is sent has a name in the address. */
const nameIn = (url: URL, otherwise: string): string => url.searchParams.get('name') ?? otherwise;

/** A reply as a channel would give, its value a `FileInfo`. */
async function answerUpload(response: ServerResponse, take: () => Promise<FileInfo>): Promise<void> {
  const answer = (body: object) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  try {
    answer({ ok: true, value: await take() });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // What is still coming is not read.
    response.setHeader('Connection', 'close');
    answer({ ok: false, fault: error.toFault() });
  }
}

async function sendDownload({ uploads }: Serving, handle: string, response: ServerResponse): Promise<void> {
  let path: string;
  try {
    path = uploads.downloadPath(handle);
  } catch (error) {
    return say(response, 404, plainEnglish(toFault(error).message));
  }
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': statSync(path).size,
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(basename(path))}`,
  });
  await pipeline(createReadStream(path), response);
}

/** Why a connection is refused: the status, or null when it is welcome. */
function refusalOf(request: IncomingMessage, access: Access, connected: number): string | null {
  if (!access.isOurPage(request)) return '403 Forbidden';
  if (!access.isAdmitted(request)) return '401 Unauthorized';
  if (request.url !== '/socket') return '404 Not Found';
  return connected >= MAX_SOCKETS ? '503 Service Unavailable' : null;
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
