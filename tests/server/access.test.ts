// Which hosts are this machine, for each address that a server can listen on.
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../main/server/access.js';

const from = (headers: IncomingMessage['headers']) => ({ headers }) as IncomingMessage;

describe('createAccess', () => {
  it.each([
    ['127.0.0.1', ['127.0.0.1:80', 'localhost:80', '[::1]:80', '127.0.0.1'], ['192.168.1.5:80', 'evil.example:80']],
    ['0.0.0.0', ['192.168.1.5:80', '[fe80::1]:80', 'localhost:80', `${hostname()}:80`], ['evil.example:80']],
    ['box.lan', ['box.lan:80', '10.0.0.1:80'], ['evil.example:80', 'box.lan.evil.example:80', 'box.lan:81']],
  ])('listening on %s, is known as %j and not as %j', (listening, ours, others) => {
    const { isOurHost } = createAccess(listening, () => 80);
    for (const host of ours) expect([host, isOurHost(from({ host }))]).toEqual([host, true]);
    for (const host of others) expect([host, isOurHost(from({ host }))]).toEqual([host, false]);
    expect(isOurHost(from({}))).toBe(false);
  });

  it('forgets the browser that was let in first, when there are too many', () => {
    const access = createAccess('127.0.0.1', () => 80);
    const cookies = Array.from({ length: 65 }, () => access.admit(access.token)?.split(';')[0] ?? '');
    expect(access.isAdmitted(from({ cookie: cookies[0] }))).toBe(false);
    expect(access.isAdmitted(from({ cookie: `other=1; ${cookies[64]}` }))).toBe(true);
    expect(access.admit(`${access.token}x`)).toBeNull();
  });
});
