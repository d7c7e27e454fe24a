/** Starts and ends an HTTP server, and reads addresses. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { UserError } from '../../shared/errors.js';
import { localized } from '../../shared/messages/message.js';

/** @param field the setting of the port. @throws UserError `bad_input` when the port is taken or the host is not this machine's */
export async function listen(http: Server, host: string, port: number, field: 'port' | 'api_port') {
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
        field: isPort ? field : 'host',
      },
      { cause: error },
    );
  }
  return (http.address() as AddressInfo).port;
}

/** The host as others write it into an address. */
export function shownHost(host: string): string {
  const named = host === '0.0.0.0' || host === '::' ? hostname() : host;
  return named.includes(':') ? `[${named}]` : named;
}

export function addressOf(request: IncomingMessage): URL | null {
  try {
    return new URL(`http://verisim${request.url ?? '/'}`);
  } catch {
    return null;
  }
}

/** Milliseconds in which open connections may end by themselves. */
const GOODBYE = 1000;

export async function closeServer(http: Server, beforeForce: () => void = () => undefined): Promise<void> {
  const closed = once(http, 'close');
  http.close();
  http.closeIdleConnections();
  const timer = setTimeout(() => {
    beforeForce();
    http.closeAllConnections();
  }, GOODBYE);
  await closed;
  clearTimeout(timer);
}
