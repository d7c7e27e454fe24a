/** Grants access: exchanges the printed token for a strict cookie, and requires a name of this machine, and its origin. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Of so many browsers at most; the one admitted first is forgotten. */
const MAX_VISITORS = 64;
const secretBytes = 32;

export type Access = ReturnType<typeof createAccess>;

/** @param port known once the server listens. @param token new by default */
export function createAccess(host: string, port: () => number, token = randomBytes(secretBytes).toString('base64url')) {
  const visitors: string[] = [];
  // Cookies do not heed ports: two servers on one machine must not share one.
  const cookie = () => `verisim-${port()}`;

  /** Any port: a tunnel or a container forwards another one. */
  const isOurHost = (request: IncomingMessage) => {
    const [, named] = /^(\[[0-9a-f:.]+\]|[^:/@\s]+)(?::\d{1,5})?$/i.exec(request.headers.host ?? '') ?? [];
    return named !== undefined && isNameOf(host, named.toLowerCase());
  };
  /** The page's own name, which a proxy passes on; a foreign page cannot send this header without leave. */
  const hostsOf = ({ headers }: IncomingMessage) => [headers.host, headers['x-forwarded-host']].map(String);

  return {
    token,
    isToken: (given: string) => isSame(given, token),
    /** Checks that a request's host is this machine, not a name pointed at it (DNS rebinding). */
    isOurHost,
    isOurPage: (request: IncomingMessage) =>
      isOurHost(request) &&
      hostsOf(request).some((one) =>
        ['http', 'https'].some(
          (scheme) => request.headers.origin?.toLowerCase() === `${scheme}://${one.toLowerCase()}`,
        ),
      ),
    /** Exchanges a token; null when it is wrong. The value goes into `Set-Cookie`. */
    admit(given: string) {
      if (!isSame(given, token)) return null;
      const visitor = randomBytes(secretBytes).toString('base64url');
      visitors.push(visitor);
      if (visitors.length > MAX_VISITORS) visitors.shift();
      return `${cookie()}=${visitor}; HttpOnly; SameSite=Strict; Path=/`;
    },
    isAdmitted(request: IncomingMessage) {
      const given = cookieOf(request, cookie());
      return given !== null && visitors.some((visitor) => isSame(given, visitor));
    },
  };
}

/** An address cannot be pointed elsewhere by its owner, a name can: of names only this machine's own are ours. */
function isNameOf(listening: string, named: string): boolean {
  const address = named.replace(/^\[|\]$/g, '');
  if (isLoopback(listening)) return isLoopback(address);
  return isLoopback(address) || isIP(address) !== 0 || address === listening || address === hostname().toLowerCase();
}

export const isLoopback = (host: string): boolean =>
  /(^|\.)localhost$/.test(host) || host === '::1' || /^127(\.\d+){3}$/.test(host);

function cookieOf({ headers }: IncomingMessage, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([key]) => key === name)?.[1] ?? null;
}

/** Takes as long whatever differs. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (text: string) => createHash('sha256').update(text).digest();
