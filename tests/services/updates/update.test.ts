/** Updates from a server that may be anybody's: what its makers signed is found and fetched, and nothing else is ever taken. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { compareVersions } from '../../../main/services/updates/manifest.js';
import { fetchUpdate, findUpdate, readUpdateSource, type Update } from '../../../main/services/updates/update.js';
import { writeManifest } from '../../../scripts/package/manifest.mjs';

const top = fs.mkdtempSync(join(tmpdir(), 'verisim-updates-'));
const [served, arrived] = [join(top, 'served'), join(top, 'arrived')];
const keys = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const MEGABYTE = 1 << 20;
/** What stays the same from version to version, as a runtime does, and what does not. */
const [runtime, oldApp, newApp] = [3 * MEGABYTE, 1000, 1.5 * MEGABYTE].map((size) => randomBytes(size)) as [
  Buffer,
  Buffer,
  Buffer,
];
const appImage = Buffer.concat([runtime, newApp]);
const names = ['Verisim-1.1.0-linux-x64.AppImage', 'verisim_1.1.0_amd64.deb', 'verisim-runtime_2.0.0+1.ab_amd64.deb'];

let server: Server;
let address = '';
/** Bytes that went out, without the list; and what the server does in place of answering. */
let sent = 0;
let instead: ((name: string, response: ServerResponse) => boolean) | null = null;

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice('/releases/'.length));
    if (instead?.(name, response)) return;
    const file = join(served, name);
    if (!fs.existsSync(file)) return void response.writeHead(404).end();
    const bytes = fs.readFileSync(file);
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const piece = from === undefined ? bytes : bytes.subarray(Number(from), to ? Number(to) + 1 : undefined);
    if (!name.startsWith('updates.json')) sent += piece.length;
    const range = `bytes ${String(from)}-${String(Number(from) + piece.length - 1)}/${String(bytes.length)}`;
    response.writeHead(from === undefined ? 200 : 206, from === undefined ? {} : { 'content-range': range }).end(piece);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/releases`;
});
afterAll(() => {
  server.close();
  fs.rmSync(top, { recursive: true });
});

const pem = (pair: typeof keys) => pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const source = () => ({ address, key: pem(keys) });
async function publish(version: string, pair = keys): Promise<void> {
  const key = join(top, 'key.pem');
  fs.writeFileSync(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const packages = names.map((name) => join(served, name));
  await writeManifest({ version, runtime: '2.0.0+1.ab', packages, output: served, key });
}
beforeEach(async () => {
  for (const folder of [served, arrived]) {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder);
  }
  for (const [index, bytes] of [appImage, newApp, runtime].entries())
    fs.writeFileSync(join(served, names[index] ?? ''), bytes);
  await publish('1.1.0');
  [sent, instead] = [0, null];
});

const installed = (more: object = {}) => ({
  version: '1.0.0',
  runtime: '2.0.0+1.ab',
  kind: 'AppImage' as const,
  ...more,
});
const find = (more: object = {}) => findUpdate(source(), installed(more));
async function found(more: object = {}): Promise<Update> {
  const update = await find(more);
  if (update === null) throw new Error('no update');
  return update;
}
const fetch = (update: Update, more: { older?: string; signal?: AbortSignal } = {}) =>
  fetchUpdate({ source: source(), update, folder: arrived, progress: () => undefined, ...more });

it('off until a server is configured', () => {
  const file = join(top, 'source.json');
  expect(readUpdateSource(file)).toBeNull();
  fs.writeFileSync(file, JSON.stringify(source()));
  expect(readUpdateSource(file)).toEqual(source());
});

it('finds what is newer, and of it only what this kind of package needs', async () => {
  expect(await find()).toMatchObject({ version: '1.1.0', files: [{ name: names[0] }] });
  expect((await found({ kind: 'deb' })).files.map(({ part }) => part)).toEqual(['app']);
  expect((await found({ kind: 'deb', runtime: '1.9.0+1.aa' })).files.map(({ part }) => part)).toEqual([
    'app',
    'runtime',
  ]);
  expect(await find({ version: '1.1.0' })).toBeNull();
  await expect(find({ kind: 'rpm' })).rejects.toMatchObject({ code: 'unsupported' });
});

it('an older version is refused, though its makers signed it', async () => {
  await expect(find({ version: '1.2.0' })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('older') as string,
  });
  const order = ['0.9.9', '1.0.0', '1.0.10', '1.2.0', '10.0.0'];
  expect([...order].reverse().sort(compareVersions)).toEqual(order);
});

it('a list that was changed, or that somebody else signed, is not believed', async () => {
  const list = join(served, 'updates.json');
  const text = fs.readFileSync(list, 'utf8');
  const refused = { code: 'file_damaged', message: expect.stringContaining('signature') as string };
  fs.writeFileSync(list, text.replace('"1.1.0"', '"9.9.9"'));
  await expect(find()).rejects.toMatchObject(refused);
  fs.writeFileSync(list, text);
  expect(await find()).not.toBeNull();
  fs.writeFileSync(`${list}.sig`, '');
  await expect(find()).rejects.toMatchObject(refused);
  await publish('1.1.0', stranger);
  await expect(find()).rejects.toMatchObject(refused);
});

it('a signed list with a name that leads elsewhere is not such a list', async () => {
  const outside = join(served, '..', '-x.deb');
  fs.writeFileSync(outside, 'x');
  names.push('../-x.deb');
  try {
    await publish('1.1.0');
  } finally {
    names.pop();
  }
  await expect(find()).rejects.toMatchObject({ message: expect.stringContaining('not such a list') as string });
});

it('a server that is not there, or has no list, is said', async () => {
  instead = (_name, response) => Boolean(response.writeHead(404).end());
  await expect(find()).rejects.toMatchObject({ code: 'network' });
});

it('an AppImage takes from the older one what they have in common, and fetches the rest', async () => {
  const older = join(top, 'old.AppImage');
  fs.writeFileSync(older, Buffer.concat([runtime, oldApp]));
  const [file = ''] = await fetch(await found(), { older });
  expect(fs.readFileSync(file).equals(appImage)).toBe(true);
  expect(sent).toBe(newApp.length);
  expect(fs.readdirSync(arrived)).toEqual([names[0]]);
});

it('goes on where it stopped, with an older file and without', async () => {
  const update = await found();
  const older = join(top, 'old.AppImage');
  fs.writeFileSync(older, runtime.subarray(0, 2 * MEGABYTE));
  // A block of the runtime and one of the app had arrived.
  fs.writeFileSync(join(arrived, `${String(names[0])}.part`), appImage.subarray(0, 4 * MEGABYTE));
  await fetch(update, { older });
  expect(sent).toBe(appImage.length - 4 * MEGABYTE);
  fs.rmSync(join(arrived, names[0] ?? ''));
  sent = 0;
  fs.writeFileSync(join(arrived, `${String(names[0])}.part`), appImage.subarray(0, 1_000_000));
  const [file = ''] = await fetch(update);
  expect(fs.readFileSync(file).equals(appImage)).toBe(true);
  expect(sent).toBe(appImage.length - 1_000_000);
});

it('what arrives and is not what was signed gets no name, and is not kept', async () => {
  const update = await found();
  const [older, target] = [join(top, 'old.AppImage'), join(served, names[0] ?? '')];
  fs.writeFileSync(older, Buffer.concat([runtime, oldApp]));
  const changed = Buffer.from(appImage);
  changed.writeUInt8(changed.readUInt8(appImage.length - 1) ^ 1, appImage.length - 1);
  fs.writeFileSync(target, changed);
  for (const more of [{ older }, {}]) {
    await expect(fetch(update, more)).rejects.toMatchObject({ code: 'file_damaged' });
    expect(fs.existsSync(join(arrived, names[0] ?? ''))).toBe(false);
  }
});
