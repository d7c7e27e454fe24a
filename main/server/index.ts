/** Implements `verisim serve`: the window's files over HTTP and the contract over a WebSocket. (docs/security.md) */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createReadStream, statSync } from 'node:fs';
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
import { addressOf, closeServer, listen, shownHost } from './listening.js';
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
  port = await listen(http, host, options.port, 'port');
  const at = `http://${shownHost(host)}:${port}`;
  return {
    address: `${at}/?token=${access.token}`,
    async close() {
      for (const client of sockets.clients) client.close(1001, 'the server ends');
      await closeServer(http, () => {
        for (const client of sockets.clients) client.terminate();
      });
      sockets.close();
    },
  };
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
