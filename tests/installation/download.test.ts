/**
 * The download, against a real HTTP server on this machine: what an interruption leaves is used, what is not the pinned
 * content is refused and removed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WrongHash, download } from '../../main/installation/download.mjs';
import { keptReport, temporaryFolder } from '../scripts/helpers.js';

const content = randomBytes(2_000_000);
const sha256 = createHash('sha256').update(content).digest('hex');

type Handler = (request: IncomingMessage, response: ServerResponse, visit: number) => void;

/** @returns the server's address and the Range header of each request so far */
async function serve(handler: Handler): Promise<{ url: string; ranges: (string | undefined)[] }> {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    handler(request, response, ranges.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/file`, ranges };
}

const firstByte = (request: IncomingMessage) => Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);

/** Sends from the requested byte; the connection drops at `until`. */
function send(request: IncomingMessage, response: ServerResponse, until = content.length): void {
  const from = firstByte(request);
  const headers = { 'content-length': content.length - from };
  const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
  if (request.headers.range) response.writeHead(206, { ...headers, ...range });
  else response.writeHead(200, headers);
  response.write(content.subarray(from, until), () => {
    if (until < content.length) setTimeout(() => response.destroy(), 50);
    else response.end();
  });
}

/** A download with the pauses of a test. */
function start(url: string, overrides: Partial<Parameters<typeof download>[0]> = {}) {
  const target = join(temporaryFolder(), 'deep', 'file');
  const report = keptReport();
  const options = { url, target, sha256, label: 'File', report, attempts: 3, pauseSeconds: 0.01, stallSeconds: 5 };
  return { target, report, done: download({ ...options, ...overrides }) };
}

test('a download continues where the connection dropped', async () => {
  const { url, ranges } = await serve((request, response, visit) =>
    send(request, response, visit === 1 ? 1_000_000 : content.length),
  );
  const { target, report, done } = start(url);
  await done;
  expect(readFileSync(target).equals(content)).toBe(true);
  expect(existsSync(`${target}.part`)).toBe(false);
  // As much as had arrived when it broke off, which a busy machine may read less of.
  const [first, from] = ranges.map((range) => /^bytes=(\d+)-$/.exec(range ?? '')?.[1]);
  expect(ranges).toHaveLength(2);
  expect(first).toBeUndefined();
  expect(Number(from)).toBeGreaterThan(0);
  expect(Number(from)).toBeLessThanOrEqual(1_000_000);
  expect(report.lines.join('\n')).toMatch(/trying again/);
  expect(report.progressed.at(-1)).toBe(content.length);
});

test('a part left by an earlier process is continued and reported', async () => {
  const { url, ranges } = await serve((request, response) => send(request, response));
  const folder = temporaryFolder();
  const target = join(folder, 'file');
  writeFileSync(`${target}.part`, content.subarray(0, 1_500_000));
  const { report, done } = start(url, { target });
  await done;
  expect(readFileSync(target).equals(content)).toBe(true);
  expect(ranges).toEqual(['bytes=1500000-']);
  expect(report.lines[0]).toContain('1500000');
});

test('a part that was whole already needs no more bytes', async () => {
  const { url } = await serve((request, response) => {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    expect(firstByte(request)).toBe(content.length);
  });
  const target = join(temporaryFolder(), 'file');
  writeFileSync(`${target}.part`, content);
  await start(url, { target }).done;
  expect(readFileSync(target).equals(content)).toBe(true);
});

test('a server without ranges makes it start from the beginning', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': content.length }).end(content);
  });
  const target = join(temporaryFolder(), 'file');
  writeFileSync(`${target}.part`, content.subarray(0, 700_000));
  await start(url, { target }).done;
  expect(readFileSync(target).equals(content)).toBe(true);
});

test('a part of another file is dropped', async () => {
  const { url, ranges } = await serve((request, response) => send(request, response));
  const target = join(temporaryFolder(), 'file');
  writeFileSync(`${target}.part`, randomBytes(1_000_000));
  await start(url, { target }).done;
  expect(readFileSync(target).equals(content)).toBe(true);
  expect(ranges).toEqual(['bytes=1000000-', undefined]);
});

test('content with another hash is refused and removed', async () => {
  const { url } = await serve((request, response) => send(request, response));
  const { target, done } = start(url, { sha256: '0'.repeat(64) });
  await expect(done).rejects.toThrow(WrongHash);
  expect(existsSync(target)).toBe(false);
  expect(existsSync(`${target}.part`)).toBe(false);
});

test('after several dropped connections the download fails, and its part remains', async () => {
  const { url } = await serve((request, response) => send(request, response, 500_000));
  const { target, done } = start(url);
  await expect(done).rejects.toThrow();
  expect(existsSync(target)).toBe(false);
  expect(readFileSync(`${target}.part`).equals(content.subarray(0, 500_000))).toBe(true);
});

test('a refusal is not repeated', async () => {
  const { url, ranges } = await serve((_request, response) => response.writeHead(403, 'Forbidden').end());
  await expect(start(url).done).rejects.toThrow('403 Forbidden');
  expect(ranges).toHaveLength(1);
});

test('a connection that stays silent is broken off', async () => {
  const { url, ranges } = await serve((request, response, visit) => {
    if (visit > 1) send(request, response);
  });
  const { target, done } = start(url, { stallSeconds: 0.2 });
  await done;
  expect(readFileSync(target).equals(content)).toBe(true);
  expect(ranges).toHaveLength(2);
});

test('a redirection is followed with the range', async () => {
  const { url, ranges } = await serve((request, response) => {
    if (request.url === '/file') response.writeHead(302, { location: '/elsewhere' }).end();
    else send(request, response);
  });
  const target = join(temporaryFolder(), 'file');
  writeFileSync(`${target}.part`, content.subarray(0, 10));
  await start(url, { target }).done;
  expect(ranges).toEqual(['bytes=10-', 'bytes=10-']);
});
