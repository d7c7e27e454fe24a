/** Serves the models to other programs by OpenAI's interface, with a token and the guards of the window's server. (docs/endpoint.md) */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parsedJson } from '../../shared/base/json.js';
import { createRate } from '../ipc/rate.js';
import type { Services } from '../services/index.js';
import { createAccess, type Access } from './access.js';
import { endpointErrors, errorReply } from './endpoint-errors.js';
import { createRequests, type Call } from './endpoint-requests.js';
import { securityHeaders } from './headers.js';
import { addressOf, closeServer, listen, shownHost } from './listening.js';

/** Bytes of a request's body. */
const MAX_BODY = 1024 * 1024;
/** Requests that wait for the model. */
const MAX_WAITING = 256;
const limits = { perSecond: 100, burst: 500 };
const guesses = { perSecond: 1, burst: 10 };
/** Milliseconds in which the rest of a refused body is read, so that its sender reads the refusal. */
const DRAINED = 5000;

export async function startEndpoint(options: {
  readonly services: Services;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly token: string;
}) {
  const { services, host, token } = options;
  const http = createServer({ requestTimeout: 30_000, headersTimeout: 15_000, maxHeaderSize: 16_384 });
  let port = options.port;
  const serving: Serving = {
    access: createAccess(host, () => port, token),
    requests: createRequests(services),
    inTurn: createTurns(MAX_WAITING),
    rate: createRate(limits.perSecond, limits.burst),
    wrongTokens: createRate(guesses.perSecond, guesses.burst),
  };
  http.on('request', (request, response) => void answer(serving, request, response));
  port = await listen(http, host, options.port, 'api_port');
  return { address: `http://${shownHost(host)}:${port}/v1`, close: () => closeServer(http) };
}

interface Serving {
  readonly access: Access;
  readonly requests: ReturnType<typeof createRequests>;
  readonly inTurn: ReturnType<typeof createTurns>;
  readonly rate: { take(): boolean };
  readonly wrongTokens: { take(): boolean };
}

async function answer(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.on('error', () => gone.abort());
  const send = (part: object) => {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write(`data: ${JSON.stringify(part)}\n\n`);
  };
  try {
    const body = await handle(serving, request, { signal: gone.signal, send });
    if (body !== null) sendJson(response, 200, body);
    else response.end('data: [DONE]\n\n');
  } catch (error) {
    const { status, body } = errorReply(error);
    if (response.headersSent) response.end(`data: ${JSON.stringify(body)}\n\n`);
    else {
      if (!request.complete) {
        await drain(request);
        response.setHeader('Connection', 'close');
      }
      sendJson(response, status, body);
    }
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

const drain = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, DRAINED);
    request.on('error', () => undefined).resume();
    for (const event of ['end', 'close'])
      request.once(event, () => {
        clearTimeout(timer);
        resolve();
      });
  });

/** @returns the answer; null when it was streamed. @throws EndpointError, UserError */
async function handle(serving: Serving, request: IncomingMessage, call: Omit<Call, 'body'>): Promise<object | null> {
  const { access, requests, inTurn } = serving;
  if (!access.isOurHost(request)) throw endpointErrors.name();
  // No page of ours is here, and other programs send no origin.
  if (request.headers.origin !== undefined) throw endpointErrors.origin();
  const [, given = ''] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (!access.isToken(given)) throw serving.wrongTokens.take() ? endpointErrors.token() : endpointErrors.tooMany();
  if (!serving.rate.take()) throw endpointErrors.tooMany();
  const path = addressOf(request)?.pathname ?? '';
  const listed = /^\/v1\/models(?:\/(.+))?$/.exec(path);
  if (listed) {
    if (request.method !== 'GET') throw endpointErrors.method();
    return listed[1] === undefined ? requests.models() : requests.model(decodedName(listed[1]));
  }
  const perform = { '/v1/completions': requests.completions, '/v1/score': requests.score }[path];
  if (!perform) throw endpointErrors.unknown(path);
  if (request.method !== 'POST') throw endpointErrors.method();
  const body = parsedJson(await textOf(request));
  if (body === undefined) throw endpointErrors.json();
  return inTurn(() => perform({ ...call, body }), call.signal);
}

/** Clients write a slash in a name as %2F. @throws EndpointError `model_not_found` */
function decodedName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw endpointErrors.model(encoded);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) throw endpointErrors.tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // Not `for await`, which would destroy the request on an early end.
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY) reject(endpointErrors.tooLarge());
      else chunks.push(chunk);
    });
    request.once('end', resolve);
    request.once('error', reject);
  });
  return Buffer.concat(chunks).toString('utf8');
}

/** One after the other, in the order in which they came: the window's own requests get a turn in between. */
function createTurns(most: number) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    if (waiting >= most) throw endpointErrors.tooMany();
    waiting += 1;
    const mine = last.then(() => {
      // Its client left while it waited.
      if (signal.aborted) throw endpointErrors.tooMany();
      return work();
    });
    last = mine.catch(() => undefined);
    return mine.finally(() => (waiting -= 1));
  };
}
