// Which hosts are this machine, for each address that a server can listen on.
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../main/server/access.js';

const from = (headers: IncomingMessage['headers']) => ({ headers }) as IncomingMessage;

describe('createAccess', () => {
  it.each([
    ['127.0.0.1', ['127.0.0.1:80', 'localhost:80', '[::1]:80', '127.0.0.1'], ['192.168.1.5:80', 'evil.example:80']],
    ['127.0.0.1', ['localhost:9000', '[::1]', 'verisim.localhost:1'], ['localhost.evil.example', 'localhost:x']],
    ['0.0.0.0', ['192.168.1.5:80', '[fe80::1]:80', 'localhost:80', `${hostname()}:80`], ['evil.example:80']],
    ['box.lan', ['box.lan:80', '10.0.0.1:80'], ['evil.example:80', 'box.lan.evil.example:80']],
  ])('listening on %s, is known as %j and not as %j', (listening, ours, others) => {
    const { isOurHost } = createAccess(listening, () => 80);
    for (const host of ours) expect([host, isOurHost(from({ host }))]).toEqual([host, true]);
    for (const host of others) expect([host, isOurHost(from({ host }))]).toEqual([host, false]);
    expect(isOurHost(from({}))).toBe(false);
  });

  it.each([
    ['its own page', 'localhost:80', 'http://localhost:80', {}, true],
    ['a tunnel from another port', 'localhost:9000', 'http://localhost:9000', {}, true],
    ['https in front, with its own port', 'localhost:443', 'https://localhost:443', {}, true],
    [
      'a proxy that passes the name on',
      '127.0.0.1:80',
      'https://my.example',
      { 'x-forwarded-host': 'my.example' },
      true,
    ],
    ['a proxy that does not', '127.0.0.1:80', 'https://my.example', {}, false],
    ['another page', 'localhost:80', 'http://evil.example', {}, false],
    ['another page of this machine', 'localhost:80', 'http://localhost:3000', {}, false],
    ['a name pointed here', 'evil.example', 'http://evil.example', { 'x-forwarded-host': 'evil.example' }, false],
    ['no page', 'localhost:80', undefined, {}, false],
  ])('%s: host %s, origin %s', (_, host, origin, more, isOurs) => {
    const { isOurPage } = createAccess('127.0.0.1', () => 80);
    expect(isOurPage(from({ host, ...(origin === undefined ? {} : { origin }), ...more }))).toBe(isOurs);
  });

  it('forgets the browser that was let in first, when there are too many', () => {
    const access = createAccess('127.0.0.1', () => 80);
    const cookies = Array.from({ length: 65 }, () => access.admit(access.token)?.split(';')[0] ?? '');
    expect(access.isAdmitted(from({ cookie: cookies[0] }))).toBe(false);
    expect(access.isAdmitted(from({ cookie: `other=1; ${cookies[64]}` }))).toBe(true);
    expect(access.admit(`${access.token}x`)).toBeNull();
  });
});
