/**
 * A hub on this machine: what Verisim asks of the real one, answered the same way. Model information, pages of a list of
 * files, small files directly, large ones by redirection to another server with a signed address, ranges, error codes in
 * headers. A test can answer any request in its place.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostedModel {
  readonly files: Readonly<Record<string, Buffer>>;
  readonly licence?: string;
  readonly commit?: string;
  /** Who may read it: anyone, those with a token that has agreed, those with a token. */
  readonly access?: 'open' | 'gated' | 'private';
  /** Of what the list says about files, something else. */
  readonly says?: (entry: Record<string, unknown>) => Record<string, unknown>;
}

export interface HubRequest {
  readonly kind: 'info' | 'tree' | 'resolve' | 'content';
  /** The file's path, for `resolve` and `content`. */
  readonly file: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** How many of this kind for this file there were, this one included. */
  readonly visit: number;
}

export interface HubServer {
  readonly endpoint: string;
  readonly models: Map<string, HostedModel>;
  /** Every request so far: "info owner/name", "content model.safetensors bytes=5-". */
  readonly requests: string[];
  /** Tokens that came with requests for large contents, which are another server's business. */
  readonly leaked: string[];
  /** Bytes of large contents that were sent. */
  sent: number;
  /** Answers in place of the hub where it returns true. */
  interfere: (request: HubRequest) => boolean;
  /** Of large contents, bytes in a piece, and milliseconds between two. */
  pace: { readonly bytes: number; readonly pause: number };
  /** So many times, the connection of a large content ends after so many bytes. */
  cut: { times: number; readonly after: number };
  close(): void;
}

export const TOKEN = 'hf_agreed';
/** Above this many bytes, a file is kept as the hub keeps large ones. */
const LARGE = 10_000;
const PAGE = 3;
const commitOf = ({ commit = 'c0ffee00'.repeat(5) }: HostedModel) => commit;
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const gitName = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

export async function serveHub(models: Readonly<Record<string, HostedModel>>): Promise<HubServer> {
  const visits = new Map<string, number>();
  const contents = createServer();
  const hub = createServer();
  const listen = (server: Server) =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const contentsAt = `http://127.0.0.1:${await listen(contents)}`;
  const self: HubServer = {
    endpoint: `http://127.0.0.1:${await listen(hub)}`,
    models: new Map(Object.entries(models)),
    requests: [],
    leaked: [],
    sent: 0,
    interfere: () => false,
    pace: { bytes: Infinity, pause: 0 },
    cut: { times: 0, after: 0 },
    close() {
      for (const server of [hub, contents]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
  const isHandled = (kind: HubRequest['kind'], file: string, request: IncomingMessage, response: ServerResponse) => {
    const key = `${kind} ${file}`;
    const visit = (visits.get(key) ?? 0) + 1;
    visits.set(key, visit);
    self.requests.push(`${key}${request.headers.range === undefined ? '' : ` ${request.headers.range}`}`);
    return self.interfere({ kind, file, request, response, visit });
  };
  hub.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', self.endpoint);
    const route = routeOf(url);
    const model = self.models.get(route?.repository ?? '');
    if (route === null || isHandled(route.kind, route.file || route.repository, request, response)) return;
    if (model === undefined) return refuse(response, 401, 'RepoNotFound');
    const refused = refusalOf(model, request, route.kind);
    if (refused !== null) return refuse(response, ...refused);
    if (route.kind === 'info') return sendInfo(response, route.repository, route.revision, model);
    if (route.kind === 'tree') return sendTree(response, url, route.file, model);
    const bytes = model.files[route.file];
    if (bytes === undefined) return refuse(response, 404, 'EntryNotFound');
    if (route.revision !== commitOf(model)) return refuse(response, 404, 'RevisionNotFound');
    if (bytes.length <= LARGE) return void response.writeHead(200, { etag: gitName(bytes) }).end(bytes);
    const location = `${contentsAt}/${route.repository}/${encodeURIComponent(route.file)}?signature=${sha256(bytes)}`;
    response.writeHead(302, { location, 'x-linked-size': bytes.length, 'x-linked-etag': `"${sha256(bytes)}"` }).end();
  });
  contents.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', contentsAt);
    const [, owner, name, file = ''] = url.pathname.split('/').map(decodeURIComponent);
    if (request.headers.authorization !== undefined) self.leaked.push(request.headers.authorization);
    if (isHandled('content', file, request, response)) return;
    const bytes = self.models.get(`${owner}/${name}`)?.files[file];
    if (bytes === undefined) response.writeHead(404).end();
    else void sendContents(request, response, bytes, self);
  });
  return self;
}

interface Route {
  readonly kind: 'info' | 'tree' | 'resolve';
  readonly repository: string;
  readonly revision: string;
  readonly file: string;
}

function routeOf({ pathname }: URL): Route | null {
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const isApi = parts[0] === 'api';
  const [owner = '', name = '', kind = '', revision = '', ...rest] = isApi ? parts.slice(2) : parts;
  const known = { revision: 'info', tree: 'tree', resolve: 'resolve' } as const;
  if (!Object.hasOwn(known, kind)) return null;
  return { kind: known[kind as keyof typeof known], repository: `${owner}/${name}`, revision, file: rest.join('/') };
}

function refusalOf(model: HostedModel, request: IncomingMessage, kind: Route['kind']): [number, string] | null {
  const { access = 'open' } = model;
  const token = request.headers.authorization;
  if (token !== undefined && !token.startsWith('Bearer hf_')) return [401, ''];
  if (access === 'private' && token === undefined) return [401, 'RepoNotFound'];
  // What a gated model is, everyone may read.
  if (access !== 'gated' || kind !== 'resolve' || token === `Bearer ${TOKEN}`) return null;
  return [token === undefined ? 401 : 403, 'GatedRepo'];
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const body = JSON.stringify({ error: code });
  response.writeHead(status, { 'x-error-code': code, 'content-type': 'application/json' }).end(body);
}

function sendJson(response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(value));
}

function sendInfo(response: ServerResponse, id: string, revision: string, model: HostedModel): void {
  if (!['HEAD', 'main', 'v1', commitOf(model)].includes(revision)) return refuse(response, 404, 'RevisionNotFound');
  const { licence = 'apache-2.0', access = 'open' } = model;
  const about = {
    _id: 'x',
    id,
    sha: commitOf(model),
    lastModified: '2025-01-01T00:00:00.000Z',
    likes: 1,
    downloads: 2,
  };
  const gated = access === 'gated' ? 'manual' : false;
  sendJson(response, { ...about, gated, private: access === 'private', cardData: { license: licence } });
}

function sendTree(response: ServerResponse, url: URL, folder: string, model: HostedModel): void {
  const inFolder = (path: string) => (folder === '' ? !path.includes('/') : path.startsWith(`${folder}/`));
  const entries = Object.entries(model.files)
    .filter(([path]) => inFolder(path))
    .map(([path, bytes]) => {
      const isLarge = bytes.length > LARGE;
      const lfs = isLarge ? { lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 134 } } : {};
      const entry = { type: 'file', oid: gitName(isLarge ? Buffer.from('pointer') : bytes), size: bytes.length, path };
      return model.says?.({ ...entry, ...lfs }) ?? { ...entry, ...lfs };
    });
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const next = new URL(url);
  next.searchParams.set('cursor', String(from + PAGE));
  const isLast = from + PAGE >= entries.length;
  sendJson(response, entries.slice(from, from + PAGE), isLast ? {} : { link: `<${next.href}>; rel="next"` });
}

async function sendContents(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  server: HubServer,
): Promise<void> {
  const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from >= bytes.length) {
    response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    return;
  }
  const headers = { 'content-length': bytes.length - from, 'accept-ranges': 'bytes' };
  const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  if (request.headers.range === undefined) response.writeHead(200, headers);
  else response.writeHead(206, { ...headers, ...range });
  for (let at = from; at < bytes.length && !response.destroyed;) {
    const { bytes: size, pause } = server.pace;
    const piece = bytes.subarray(at, Math.min(bytes.length, at + size));
    response.write(piece);
    at += piece.length;
    server.sent += piece.length;
    if (server.cut.times > 0 && at - from >= server.cut.after) {
      server.cut.times -= 1;
      await new Promise((resolve) => setTimeout(resolve, 50)); // so that what was written has left
      response.destroy();
      return;
    }
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  response.end();
}
