/** A file of the installed app that was changed is named, and what was read once is not read again. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import {
  archiveIsWhole,
  changedFiles,
  readInstalledFiles,
  type InstalledFiles,
} from '../../../main/app/installed/installation.js';
import { listFiles } from '../../../scripts/package/integrity.mjs';
import { describeRuntime, readRuntime } from '../../../scripts/package/runtime.mjs';

const top = mkdtempSync(join(tmpdir(), 'verisim-installation-'));
const folder = join(top, 'app');
const stampFile = join(top, 'stamp.json');
const runtimeFolder = join(folder, 'resources/runtime');
const library = join(runtimeFolder, 'library.so');
const text = 'a library';
let installed: InstalledFiles = { version: '', files: {}, runtime: { version: '', sha256: '' }, gpu: null };

/** As scripts/package packages it. */
async function packageApp(version: string): Promise<InstalledFiles> {
  const { runtime, sha256 } = await describeRuntime(runtimeFolder, 1_700_000_000);
  const all = Object.entries(await listFiles(folder)).filter(([name]) => !name.startsWith('resources/runtime/'));
  return { version, files: Object.fromEntries(all), runtime: { version: runtime.version, sha256 }, gpu: null };
}
beforeEach(async () => {
  rmSync(top, { recursive: true });
  mkdirSync(runtimeFolder, { recursive: true });
  writeFileSync(library, text);
  writeFileSync(join(folder, 'other.txt'), 'other');
  installed = await packageApp('1.0.0');
});
afterAll(() => rmSync(top, { recursive: true }));

const check = (more: { installed?: InstalledFiles; carrier?: string } = {}) =>
  changedFiles({ folder, installed, stampFile, ...more });
const stamp = () => JSON.parse(readFileSync(stampFile, 'utf8')) as Record<string, Record<string, string>>;

/** Of the same size and time, as somebody would change it who does not want to be seen: only reading it shows that. */
function changeUnseen(file: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, 'utf8').replace('a', 'b'));
  utimesSync(file, atime, mtime);
}

it('names what was changed, even to the same size, and what is missing', async () => {
  changeUnseen(library);
  rmSync(join(folder, 'other.txt'));
  expect(await check()).toEqual(['other.txt', 'resources/runtime/library.so']);
});

it('a list of the runtime that is not the packaged one is named, and nothing it says believed', async () => {
  changeUnseen(library);
  await describeRuntime(runtimeFolder, 1_700_000_000);
  expect(await check()).toEqual(['resources/runtime/runtime.json']);
  rmSync(join(runtimeFolder, 'runtime.json'));
  expect(await check()).toEqual(['resources/runtime/runtime.json']);
});

it('reads all once, and again only what looks different', async () => {
  expect(await check()).toEqual([]);
  const before = stamp();
  const seen = Object.values(before).flatMap((names) => Object.keys(names));
  expect(seen).toEqual(['other.txt', 'resources/runtime/library.so']);
  changeUnseen(library);
  expect(await check()).toEqual(['resources/runtime/library.so']);
  expect(stamp()).toEqual(before);
});

it('after an update of the app the runtime is not read again, and its new files are', async () => {
  expect(await check()).toEqual([]);
  const before = stamp();
  writeFileSync(join(folder, 'other.txt'), 'newer');
  const newer = await packageApp('1.1.0');
  expect(newer.runtime).toEqual(installed.runtime);
  expect(await check({ installed: newer })).toEqual([]);
  const shared = Object.keys(stamp()).filter((list) => list in before);
  expect(shared.map((list) => Object.keys(stamp()[list] ?? {}))).toEqual([['resources/runtime/library.so']]);
  // Known by what was seen then: a stamp that says a changed library was seen would let it through unread.
  changeUnseen(library);
  const { size, mtimeMs, ctimeMs } = statSync(library);
  const lying = Object.fromEntries(
    Object.entries(stamp()).map(([list, names]) => [
      list,
      'resources/runtime/library.so' in names
        ? { 'resources/runtime/library.so': [size, mtimeMs, ctimeMs].join(' ') }
        : {},
    ]),
  );
  writeFileSync(stampFile, JSON.stringify(lying));
  expect(await check({ installed: newer })).toEqual([]);
  rmSync(stampFile);
  expect(await check({ installed: newer })).toEqual(['resources/runtime/library.so']);
});

it('another AppImage is read whole, its runtime too', async () => {
  const carrier = join(top, 'Verisim.AppImage');
  writeFileSync(carrier, 'one');
  expect(await check({ carrier })).toEqual([]);
  const lists = Object.keys(stamp());
  writeFileSync(carrier, 'another');
  expect(await check({ carrier })).toEqual([]);
  expect(Object.keys(stamp()).filter((list) => lists.includes(list))).toEqual([]);
});

it('a runtime has the version of what is in it and of when that was changed, whatever version the app has', async () => {
  const first = readRuntime(folder);
  expect(first.version).toMatch(/^\d+\.\d+\.\d+\+20231114\.[0-9a-f]{8}$/);
  cpSync(library, join(runtimeFolder, 'more.so'));
  const { runtime } = await describeRuntime(runtimeFolder, 1_700_086_400);
  expect(runtime.version).toMatch(/\+20231115\./);
  expect(Object.keys(runtime.files)).toEqual(['library.so', 'more.so']);
});

it('a checkout has no list; a broken list is no list of an empty app', () => {
  expect(readInstalledFiles(join(top, 'none.json'))).toBeNull();
  writeFileSync(join(top, 'broken.json'), '{"files":');
  expect(() => readInstalledFiles(join(top, 'broken.json'))).toThrow();
});

it('an archive must have the hash that lies beside it', async () => {
  const archive = join(top, 'app.asar');
  writeFileSync(archive, 'archive');
  expect(await archiveIsWhole(archive, readFile)).toBe(false);
  writeFileSync(
    join(top, 'integrity.json'),
    JSON.stringify({ asar: createHash('sha256').update('archive').digest('hex') }),
  );
  expect(await archiveIsWhole(archive, readFile)).toBe(true);
  writeFileSync(archive, 'archive!');
  expect(await archiveIsWhole(archive, readFile)).toBe(false);
});
