/** A real server on a free port with folders of its own, and browsers that are let in or not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket, type ClientOptions } from 'ws';
import { createClient, createWebSocketTransport, type Client } from '../../shared/client/index.js';
import { createDispatcher } from '../../main/ipc/dispatcher.js';
import { createHandlers } from '../../main/ipc/handlers/index.js';
import type { Handlers } from '../../main/ipc/handler.js';
import { createEventBus, type EventBus } from '../../main/services/event-bus.js';
import { startServer } from '../../main/server/index.js';
import { absentSupervisor } from '../../main/services/machine/absent-supervisor.js';
import { createServices, type Services } from '../../main/services/index.js';

export interface Serving {
  readonly folder: string;
  readonly bus: EventBus;
  readonly services: Services;
  /** With the token. */
  readonly address: string;
  /** `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** Exceptions that were no faults. */
  readonly bugs: unknown[];
  /** Exchanges the token. @returns the cookie */
  admit(): Promise<string>;
  /** A socket as a browser opens it, with whatever is changed about it. */
  socket(
    options?: { readonly cookie?: string; readonly origin?: string; readonly path?: string } & ClientOptions,
  ): WebSocket;
  /** All sockets so far. */
  sockets(): readonly WebSocket[];
  /** A client that is let in. */
  client(): Promise<Client>;
  close(): Promise<void>;
}

export async function serve(
  options: {
    readonly host?: string;
    readonly change?: (handlers: Handlers) => Handlers;
  } = {},
): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-server-'));
  const renderer = join(folder, 'renderer');
  mkdirSync(join(renderer, 'assets'), { recursive: true });
  writeFileSync(
    join(renderer, 'index.html'),
    '<!doctype html><title>Verisim</title><style nonce="__CSP_NONCE__"></style>',
  );
  writeFileSync(join(renderer, 'assets', 'index-AbCd1234.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const bus = createEventBus();
  const services = createServices({
    dataFolder: join(folder, 'data'),
    projectsFolder: join(folder, 'projects'),
    bus,
    supervisor: absentSupervisor(),
    version: '1.2.3',
    now: () => Date.now(),
  });
  const bugs: unknown[] = [];
  const handlers = createHandlers(services);
  const dispatcher = createDispatcher(options.change?.(handlers) ?? handlers, (_channel, error) => bugs.push(error));
  const host = options.host ?? '127.0.0.1';
  const server = await startServer({ dispatcher, bus, uploads: services.uploads, renderer, host, port: 0 });
  const origin = new URL(server.address).origin;
  const sockets: WebSocket[] = [];
  const clients: Client[] = [];

  const admit = async () => {
    const response = await fetch(server.address, { redirect: 'manual' });
    return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };
  const socket: Serving['socket'] = ({ cookie = '', origin: from = origin, path = '/socket', ...rest } = {}) => {
    const made = new WebSocket(`${origin.replace('http', 'ws')}${path}`, {
      origin: from,
      ...rest,
      headers: { ...(cookie === '' ? {} : { cookie }), ...rest.headers },
    });
    made.on('error', () => undefined);
    sockets.push(made);
    return made;
  };
  return {
    folder,
    bus,
    services,
    address: server.address,
    origin,
    bugs,
    admit,
    socket,
    sockets: () => sockets,
    async client() {
      const cookie = await admit();
      const client = createClient(createWebSocketTransport({ open: () => socket({ cookie }), firstDelay: 10 }));
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      for (const one of sockets) one.terminate();
      await server.close();
      await services.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
