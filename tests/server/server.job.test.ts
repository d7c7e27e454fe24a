// The server as browsers meet it, welcome and unwelcome ones: real HTTP and real sockets on loopback.
import type { FileInfo } from '../../shared/contract/values.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverMessageSchema, type ServerMessage } from '../../shared/client/index.js';
import { serve, type Serving } from './serving.js';

let serving: Serving;
beforeEach(async () => {
  serving = await serve();
});
afterEach(() => serving.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A request exactly as given: `fetch` would tidy the path and refuse some headers. */
function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string | Buffer } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(serving.origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: String(Buffer.concat(chunks)) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** How a connection ended: the HTTP status that refused it, or the close code. */
async function ending(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('close', (code) => resolve(code));
  });
}

async function opened(cookie?: string): Promise<WebSocket> {
  const socket = serving.socket({ cookie: cookie ?? (await serving.admit()) });
  await once(socket, 'open');
  return socket;
}

function messagesOf(socket: WebSocket): ServerMessage[] {
  const messages: ServerMessage[] = [];
  socket.on('message', (data) => messages.push(serverMessageSchema.parse(JSON.parse(String(data)))));
  return messages;
}

describe('the contract over a WebSocket', () => {
  it('answers calls, refuses in words, and tells topics', async () => {
    const client = await serving.client();
    expect(await client.call('app.info', {})).toMatchObject({
      ok: true,
      value: { version: '1.2.3', transport: 'browser' },
    });
    expect(await client.call('projects.get', { id: 'project_none' })).toMatchObject({
      ok: false,
      fault: { code: 'file_not_found', field: 'id' },
    });
    const themes: string[] = [];
    client.subscribe('settings.changed', ({ theme }) => themes.push(theme));
    const changed = await client.call('settings.set', { theme: 'dark' });
    expect(changed).toMatchObject({ ok: true, value: { theme: 'dark', log_level: 'info' } });
    expect(themes).toEqual(['dark']);
    expect(serving.bugs).toEqual([]);
  });

  it('is made again after a loss, with its subscriptions', async () => {
    const client = await serving.client();
    const themes: string[] = [];
    client.subscribe('settings.changed', ({ theme }) => themes.push(theme));
    await client.call('settings.get', {});
    const back = new Promise<void>((resolve) => {
      client.onState((state) => (state === 'connected' ? resolve() : undefined));
    });
    serving.sockets().forEach((socket) => socket.terminate());
    await back;
    expect(await client.call('settings.set', { theme: 'light' })).toMatchObject({ ok: true });
    expect(themes).toEqual(['light']);
  });
});

describe('who is let in', () => {
  it('exchanges the token for a cookie that scripts and other sites cannot use, and hides it', async () => {
    const { pathname, search } = new URL(serving.address);
    const answer = await ask(pathname + search);
    expect(answer).toMatchObject({ status: 303, headers: { location: '/' } });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^verisim-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(cookie).not.toContain(new URLSearchParams(search).get('token'));
    const page = await ask('/', { cookie: cookie.split(';')[0] ?? '' });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<title>Verisim</title>') });
  });

  it('lets nobody in without it, whatever they ask for', async () => {
    const cookies = ['', 'verisim=1', `verisim-${new URL(serving.origin).port}=`, `verisim-1=${'A'.repeat(43)}`];
    for (const cookie of cookies) {
      for (const path of [
        '/',
        '/assets/index-AbCd1234.js',
        '/download/file_1',
        '/upload',
        '/upload-folder',
        '/nothing',
      ]) {
        expect(await ask(path, { cookie })).toMatchObject({ status: 401 });
      }
      expect(
        await ask('/upload?name=x', { cookie, origin: serving.origin }, { method: 'POST', body: 'x' }),
      ).toMatchObject({
        status: 401,
      });
      expect(await ending(serving.socket({ cookie }))).toBe(401);
    }
    expect(existsSync(serving.services.data.uploads)).toBe(false);
  });

  it('looks at few wrong tokens a second, and always at the right one', async () => {
    const begun = performance.now();
    const wrong = await Promise.all(
      Array.from({ length: 40 }, (_, i) => ask(`/?token=${'x'.repeat(i)}`).then(({ status }) => status)),
    );
    expect(new Set(wrong)).toEqual(new Set([401, 429]));
    // Ten at once, and one a second since.
    const looked = wrong.filter((status) => status === 401).length;
    expect(looked).toBeLessThanOrEqual(10 + (performance.now() - begun) / 1000);
    expect(await serving.admit()).not.toBe('');
  });

  it('answers to no name that somebody has pointed at it', async () => {
    const cookie = await serving.admit();
    const { port } = new URL(serving.origin);
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, 'x@y']) {
      expect(await ask('/', { cookie, host })).toMatchObject({ status: 403 });
      expect(await ending(serving.socket({ cookie, origin: `http://${host}`, headers: { host } }))).not.toBe(1006);
    }
    expect(await ask('/', { cookie, host: `localhost:${port}` })).toMatchObject({ status: 200 });
    expect(await ask('/', { cookie, host: `[::1]:${port}` })).toMatchObject({ status: 200 });
    // Another local port of a tunnel or of docker -p.
    const origin = 'http://localhost:1';
    expect(await ask('/', { cookie, host: 'localhost:1' })).toMatchObject({ status: 200 });
    const socket = serving.socket({ cookie, origin, headers: { host: 'localhost:1' } });
    await once(socket, 'open');
    socket.terminate();
  });

  it.each(['https://evil.example', 'null', 'file://', 'http://127.0.0.1:1', ''])(
    'opens no socket for a page of %j',
    async (origin) => {
      const cookie = await serving.admit();
      expect(await ending(serving.socket({ cookie, origin }))).toBe(403);
      const sent = await ask('/upload?name=x', origin === '' ? { cookie } : { cookie, origin }, {
        method: 'POST',
        body: 'x',
      });
      expect(sent).toMatchObject({ status: 403 });
    },
  );

  const hasIPv6 = Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === '::1'));
  it.runIf(hasIPv6)('may come by IPv6 alone, from the address that is printed', async () => {
    const alone = await serve({ host: '::1' });
    expect(alone.address).toMatch(/^http:\/\/\[::1\]:\d+\/\?token=/);
    const client = await alone.client();
    expect(await client.call('projects.list', {})).toEqual({ ok: true, value: { projects: [] } });
    client.close();
    await alone.close();
  });

  it('has a socket in one place only', async () => {
    expect(await ending(serving.socket({ cookie: await serving.admit(), path: '/other' }))).toBe(404);
  });
});

describe('what goes over a socket', () => {
  it.each([
    ['what is not JSON', 'hello'],
    ['what is no message', '{"type":"shout"}'],
    ['a topic that is none', '{"type":"subscribe","topic":"__proto__"}'],
    ['half a message', '{"type":"call","id":1'],
    ['bytes', Buffer.from([1, 2, 3])],
  ])('ends with %s', async (_name, frame) => {
    const socket = await opened();
    socket.send(frame);
    expect(await ending(socket)).toBe(1007);
  });

  it('ends with a frame beyond the limit, and takes one below it', async () => {
    const socket = await opened();
    const call = (length: number) =>
      JSON.stringify({ type: 'call', id: 1, channel: 'writing.inspect', input: { text: 'x'.repeat(length) } });
    const messages = messagesOf(socket);
    socket.send(call(1024 * 1024));
    await expect.poll(() => messages.length).toBe(1);
    expect(messages[0]).toMatchObject({ type: 'reply', reply: { ok: false, fault: { code: 'bad_input' } } });
    socket.send(call(5 * 1024 * 1024));
    expect(await ending(socket)).toBe(1009);
  });

  it('answers `busy` to who asks faster than anyone could, and goes on when that is over', async () => {
    const socket = await opened();
    const messages = messagesOf(socket);
    const replies = () => messages.flatMap((message) => (message.type === 'reply' ? [message] : []));
    const ask = (id: number) => socket.send(JSON.stringify({ type: 'call', id, channel: 'settings.get', input: {} }));
    const begun = performance.now();
    for (let id = 0; id < 1500; id++) ask(id);
    await expect.poll(() => messages.length).toBe(1500);
    const seconds = (performance.now() - begun) / 1000;
    const refused = replies().flatMap(({ reply }) => (reply.ok ? [] : [reply.fault.code]));
    expect(new Set(refused)).toEqual(new Set(['busy']));
    // At most 500 at once, and 100 a second since.
    expect(refused.length).toBeGreaterThanOrEqual(1000 - 100 * seconds);
    expect(refused.length).toBeLessThan(1500);
    const goesOn = () => {
      ask(2000);
      return replies().some(({ id, reply }) => id === 2000 && reply.ok);
    };
    await expect.poll(goesOn).toBe(true);
  });

  it('ends a flood, and goes on for everybody else', async () => {
    const cookie = await serving.admit();
    const flooding = await opened(cookie);
    const ended = ending(flooding);
    for (let id = 0; id < 10_000; id++) flooding.send(JSON.stringify({ type: 'cancel', id }));
    expect(await ended).toBe(1008);
    const client = await serving.client();
    expect(await client.call('settings.get', {})).toMatchObject({ ok: true });
  });

  it('refuses more calls at once than any window has, and more windows than anyone opens', async () => {
    await serving.close();
    serving = await serve({
      change: (handlers) => ({ ...handlers, 'settings.get': () => new Promise<never>(() => undefined) }),
    });
    const cookie = await serving.admit();
    const socket = await opened(cookie);
    const messages = messagesOf(socket);
    for (let id = 0; id < 70; id++) {
      socket.send(JSON.stringify({ type: 'call', id, channel: 'settings.get', input: {} }));
    }
    await expect.poll(() => messages.length).toBe(6);
    expect(messages[0]).toMatchObject({ type: 'reply', id: 64, reply: { ok: false, fault: { code: 'busy' } } });
    for (let i = 1; i < 32; i++) await opened(cookie);
    expect(await ending(serving.socket({ cookie }))).toBe(503);
  });

  it('tells a slow page the present as soon as it can take it, without all that came between', async () => {
    const socket = await opened();
    const messages = messagesOf(socket);
    socket.send(JSON.stringify({ type: 'subscribe', topic: 'projects.changed' }));
    socket.send(JSON.stringify({ type: 'call', id: 1, channel: 'settings.get', input: {} }));
    await expect.poll(() => messages.length).toBe(1);
    socket.pause();
    const name = 'x'.repeat(10_000);
    const summary: ProjectSummary = {
      ...{
        id: 'project_1',
        name,
        folder: '/x',
        preset: 'tiny',
        cycle: 0,
        max_cycles: 5000,
        changed: '',
      },
      ...{
        state: 'running',
        ended: null,
        perplexities: [],
        activity: null,
        fault: null,
        exact: true,
      },
    };
    for (let cycle = 0; cycle < 5000; cycle++) {
      serving.bus.publish('projects.changed', { id: 'project_1', summary: { ...summary, cycle } });
      if (cycle % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    socket.resume();
    const last = () => JSON.stringify(messages.at(-1)).includes('"cycle":4999');
    await expect.poll(last, { timeout: 20_000 }).toBe(true);
    expect(messages.length).toBeLessThan(5000);
  });

  it('cancels what a page has asked for when it goes', async () => {
    await serving.close();
    let aborted = false;
    serving = await serve({
      change: (handlers) => ({
        ...handlers,
        'settings.get': (_input, { signal }) =>
          new Promise<never>(() => signal.addEventListener('abort', () => (aborted = true))),
      }),
    });
    const socket = await opened();
    socket.send(JSON.stringify({ type: 'call', id: 1, channel: 'settings.get', input: {} }));
    await new Promise((resolve) => socket.ping(undefined, undefined, resolve));
    await once(socket, 'pong');
    socket.terminate();
    await expect.poll(() => aborted).toBe(true);
  });
});

describe('files', () => {
  it('serves the window with its types, under a strict policy', async () => {
    const cookie = await serving.admit();
    const page = await ask('/', { cookie });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|\*|https?:|-src 'unsafe-inline/);
    const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1];
    expect(page.text).toContain(`<style nonce="${nonce}">`);
    expect((await ask('/', { cookie })).text).not.toBe(page.text);
    const script = await ask('/assets/index-AbCd1234.js', { cookie });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': expect.stringContaining('immutable'),
    });
    expect(await ask('/project/1/cycle/2', { cookie })).toMatchObject({
      status: 200,
      text: expect.stringContaining('<title>Verisim</title>'),
    });
    expect(await ask('/assets/none.js', { cookie })).toMatchObject({ status: 404 });
    expect(await ask('/', { cookie }, { method: 'DELETE' })).toMatchObject({ status: 405 });
    writeFileSync(join(serving.folder, 'renderer', 'new.css'), 'p {}');
    expect(await ask('/new.css', { cookie })).toMatchObject({ status: 200, text: 'p {}' });
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..\\secret.txt',
    '//secret.txt',
    '/%00/secret.txt',
    '/assets/..;/secret.txt',
    '/....//secret.txt',
  ])('leads nowhere else by %s', async (path) => {
    const answer = await ask(path, { cookie: await serving.admit() });
    expect(answer.text).not.toBe('secret');
    expect(answer.status).not.toBe(500);
  });

  it('answers nonsense as nonsense', async () => {
    const { hostname, port } = new URL(serving.origin);
    const socket = connect(Number(port), hostname);
    socket.write('GET http://[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(String(data)).toMatch(/^HTTP\/1\.1 40\d/);
    socket.destroy();
    expect(await ask('/', { 'x-long': 'x'.repeat(20_000) })).toMatchObject({ status: 431 });
  });

  it('takes a file that is sent, gives its handle, and keeps nothing of one that breaks off', async () => {
    const cookie = await serving.admit();
    const headers = { cookie, origin: serving.origin };
    const body = Buffer.alloc(3_000_000, 'book ');
    const sent = await ask('/upload?name=..%2F..%2Fmy%20book.txt', headers, { method: 'POST', body });
    const { value } = JSON.parse(sent.text) as { value: { handle: string } };
    expect(value).toMatchObject({ name: 'my book.txt', kind: 'file', size: 3_000_000 });
    expect(readFileSync(serving.services.files.pathOf(value.handle)).equals(body)).toBe(true);

    const { hostname, port } = new URL(serving.origin);
    const socket = connect(Number(port), hostname);
    const head = [`POST /upload?name=half.txt HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Origin: ${serving.origin}`];
    socket.write([...head, `Cookie: ${cookie}`, 'Content-Length: 1000', '', 'half'].join('\r\n'));
    await expect.poll(() => readdirSync(serving.services.data.uploads).length).toBe(2);
    socket.destroy();
    await expect.poll(() => readdirSync(serving.services.data.uploads).length).toBe(1);

    const huge = await ask('/upload?name=x', { ...headers, 'content-length': String(2 ** 50) }, { method: 'POST' });
    expect(JSON.parse(huge.text)).toMatchObject({ ok: false, fault: { code: 'bad_input' } });
    const unknown = await ask('/upload?name=x', { ...headers, 'transfer-encoding': 'chunked' }, { method: 'POST' });
    expect(unknown.status).toBe(411);
  });

  it('takes a folder file by file, each in its place, and writes nowhere else', async () => {
    const headers = { cookie: await serving.admit(), origin: serving.origin };
    const send = async (path: string, body = 'text') => {
      const { text } = await ask(path, headers, { method: 'POST', body: Buffer.from(body) });
      return JSON.parse(text) as { ok: boolean; value: FileInfo; fault: { code: string } };
    };
    const { value: folder } = await send('/upload-folder?name=..%2Fmy%20notes');
    expect(folder).toMatchObject({ name: 'my notes', kind: 'folder' });
    const root = serving.services.files.pathOf(folder.handle);
    const inside = (name: string) => `/upload?name=${encodeURIComponent(name)}&folder=${folder.handle}`;
    await send(inside('one.txt'), 'one');
    await send(inside('deep/er/two.md'), 'two');
    await send(inside('../../../deep/three.txt'), 'three');
    // What differs only in what file systems do not like stays two files.
    await send(inside('a:b.txt'), 'first');
    await send(inside('a?b.txt'), 'second');
    const kept = readdirSync(root, { recursive: true }).map(String).sort();
    expect(kept.filter((name) => /\.\w+$/.test(name))).toEqual([
      '2 a_b.txt',
      'a_b.txt',
      'deep/er/two.md',
      'file/file/file/deep/three.txt',
      'one.txt',
    ]);
    expect(readFileSync(join(root, '2 a_b.txt'), 'utf8')).toBe('second');
    // Only into what was made for it: no file, no folder that was chosen elsewhere, nothing unknown.
    const { value: alone } = await send('/upload?name=alone.txt');
    const elsewhere = serving.services.files.give(serving.services.data.folder);
    for (const handle of [alone.handle, elsewhere.handle, 'file_nothing'])
      expect(await send(`/upload?name=x.txt&folder=${handle}`)).toMatchObject({
        ok: false,
        fault: { code: 'file_not_found' },
      });
    const noPage = await ask('/upload-folder?name=x', { cookie: headers.cookie }, { method: 'POST' });
    expect(noPage.status).toBe(403);
  });

  it('gives out what was exported, and nothing else', async () => {
    const client = await serving.client();
    const cookie = await serving.admit();
    const place = await client.call('files.chooseSave', { purpose: 'archive', suggested: 'my “book”.tar' });
    const file = place.ok ? place.value.file : null;
    const handle = file?.handle ?? '';
    expect(await ask(`/download/${handle}`, { cookie })).toMatchObject({ status: 404 });
    writeFileSync(serving.services.files.pathOf(handle, 'write'), 'exported');
    const fetched = await ask(`/download/${handle}`, { cookie });
    expect(fetched).toMatchObject({ status: 200, text: 'exported' });
    expect(fetched.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''my/);
    const { files } = serving.services;
    const secret = join(serving.folder, 'secret.txt');
    for (const access of ['read', 'write'] as const) {
      expect(await ask(`/download/${files.give(secret, access).handle}`, { cookie })).toMatchObject({ status: 404 });
    }
  });
});
