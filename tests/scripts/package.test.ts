/** What goes into packages beside the app: icons, the list of parts, modes and times that do not tell who built it. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { aboutOf, desktopEntry, iconSizes, mimeFile, mimeType } from '../../scripts/package/about.mjs';
import { withinBytes, withinSeconds } from '../../scripts/package/check/budgets.mjs';
import { SUITE } from '../../scripts/package/check/clean-root.mjs';
import { readFuses } from '../../scripts/package/check/fuses.mjs';
import { checkPackages } from '../../scripts/package/check/index.mjs';
import { leftBehind } from '../../scripts/package/check/traces.mjs';
import { icnsOf, icoOf } from '../../scripts/package/icons.mjs';
import { namedIn, sbomOf } from '../../scripts/package/sbom.mjs';
import { settle } from '../../scripts/package/tree.mjs';
import { differing, sumsOf } from '../../scripts/package/twice.mjs';
import { licences } from '../../scripts/setup/licences.mjs';
import { fileKinds } from '../../shared/config/file-kinds.js';
import { checkout, keptReport } from './helpers.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-package-'));
afterAll(() => rmSync(folder, { recursive: true }));
const about = aboutOf(checkout, 1_700_000_000);
const png = (size: number) => readFileSync(join(checkout, `resources/icons/${String(size)}.png`));

test('every icon has the size that its name says', () => {
  for (const size of iconSizes) expect(png(size).readUInt32BE(16)).toBe(size);
});

test('the icons of Windows and macOS hold those files, each where its directory says', () => {
  const ico = icoOf(checkout, [16, 256]);
  expect([ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([1, 2]);
  for (const [index, size] of [16, 256].entries()) {
    const at = 6 + 16 * index;
    const [length, offset] = [ico.readUInt32LE(at + 8), ico.readUInt32LE(at + 12)];
    expect(ico.readUInt8(at)).toBe(size % 256);
    expect(ico.subarray(offset, offset + length).equals(png(size))).toBe(true);
  }
  const icns = icnsOf(checkout);
  expect(icns.toString('latin1', 0, 4)).toBe('icns');
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  expect(icns.toString('latin1', 8, 12)).toBe('ic11');
  expect(icns.subarray(16, 8 + icns.readUInt32BE(12)).equals(png(32))).toBe(true);
});

test('menu entry and file type are about the file that the window exports', () => {
  expect(desktopEntry(about, 'verisim')).toContain(`MimeType=${mimeType};`);
  expect(mimeFile).toContain(`<glob pattern="*.${fileKinds.archive.files.endings[0]}"`);
});

test('the list of parts names every package, and is the same for the same parts', () => {
  const parts = licences(checkout);
  const files = { 'libffmpeg.so': { size: 1, sha256: 'ab' }, 'icudtl.dat': { size: 1, sha256: 'cd' } };
  const notices = join(folder, 'notices.txt');
  writeFileSync(notices, '-----\n== Eigen\n\nMPL\n-----\n== zlib\n\nzlib\n');
  expect(namedIn(readFileSync(notices, 'utf8'))).toEqual(['Eigen', 'zlib']);
  const write = () => sbomOf({ root: checkout, about, parts, electron: '45.4.1', files, notices });
  const list = JSON.parse(write()) as { components: { name: string; purl?: string; hashes?: { alg: string }[] }[] };
  const names = list.components.map(({ name }) => name);
  for (const name of ['electron', 'tensorflow', 'vue', 'libffmpeg.so']) expect(names).toContain(name);
  expect(names).not.toContain('icudtl.dat');
  for (const { name } of parts) expect(names).toContain(name);
  const vue = list.components.find(({ name }) => name === 'vue');
  expect(vue?.purl).toMatch(/^pkg:npm\/vue@\d/);
  expect(vue?.hashes?.map(({ alg }) => alg)).toEqual(['SHA-512']);
  expect(write()).toBe(write());
});

test('modes and times are the same whoever builds it', () => {
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'inner'), { recursive: true, mode: 0o700 });
  writeFileSync(join(tree, 'inner/program'), '');
  writeFileSync(join(tree, 'text'), '');
  chmodSync(join(tree, 'inner/program'), 0o700);
  chmodSync(join(tree, 'text'), 0o600);
  settle(tree, about.time);
  const of = (name: string) => {
    const { mode, mtimeMs } = statSync(join(tree, name));
    return [(mode & 0o7777).toString(8), mtimeMs / 1000];
  };
  expect(['inner', 'inner/program', 'text', '.'].map(of)).toEqual(
    ['755', '755', '644', '755'].map((mode) => [mode, about.time]),
  );
});

test('fuses are read out of a program, and one that has none is no pass', () => {
  const program = join(folder, 'program');
  writeFileSync(
    program,
    Buffer.concat([Buffer.from('…dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'), Buffer.from('\x01\x0301r', 'latin1')]),
  );
  expect(readFuses(program).map(({ passed }) => passed)).toEqual([true, true, false]);
  writeFileSync(program, 'nothing');
  expect(readFuses(program).some(({ passed }) => passed)).toBe(false);
});

test('the steps of the release are the scripts that everybody runs, and its Debian is the one that is tried in', () => {
  const workflow = readFileSync(join(checkout, '.github/workflows/release.yml'), 'utf8');
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: object };
  const steps = [...workflow.matchAll(/run: npm (?:run )?(?!ci)(\w+)/g)].map(([, name]) => name ?? '');
  expect(steps).toEqual(['test', 'package', 'package', 'package']);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(steps));
  expect(workflow).toContain(`image: debian:${SUITE}\n`);
});

test('deb and rpm say who stands for the app, and where it is told of', () => {
  expect(about.maintainer).toMatch(/^[\w ]+ <[\w.]+@[\w.]+>$/);
  expect(about.homepage).toMatch(/^https:\/\/[\w.]+\/$/);
});

test('of two builds each file that is not the same is named, and each that is in one alone', async () => {
  const app = join(folder, 'app');
  mkdirSync(join(app, 'resources'), { recursive: true });
  for (const name of ['same', 'resources/changed', 'gone']) writeFileSync(join(app, name), name);
  writeFileSync(join(folder, 'verisim.deb'), 'one');
  const before = await sumsOf(app, [join(folder, 'verisim.deb')]);
  expect(differing(before, await sumsOf(app, [join(folder, 'verisim.deb')]))).toEqual([]);
  writeFileSync(join(app, 'resources/changed'), 'Changed');
  rmSync(join(app, 'gone'));
  writeFileSync(join(folder, 'verisim.deb'), 'two');
  const after = await sumsOf(app, [join(folder, 'verisim.deb')]);
  expect(differing(before, after)).toEqual(['app/gone', 'app/resources/changed', 'verisim.deb']);
});

test('a check without an app, or without a kind of package, fails and says which', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{"version":"1.2.3","author":{}}');
  const report = keptReport();
  expect(await checkPackages(empty, ['AppImage', 'deb'], report)).toBe(1);
  expect(report.lines.filter((line) => line.includes('FAILED'))).toHaveLength(3);
  expect(report.lines).toContainEqual(expect.stringContaining('verisim_1.2.3_amd64.deb'));
  expect(report.lines.at(-1)).toBe('0 passed, 3 failed');
});

test('a package over its budget fails; of several starts the fastest counts, and each is told with the load', () => {
  const bytes = [0, 1, 330_000_000, 330_000_001].map((size) => withinBytes('size', size, 330_000_000).passed);
  expect(bytes).toEqual([false, true, true, false]);
  const tries = [2.6, 1.9].map((seconds) => ({ seconds, load: 12 }));
  expect(withinSeconds('start', tries.slice(0, 1), 2).passed).toBe(false);
  expect(withinSeconds('start', tries, 2)).toMatchObject({
    passed: true,
    detail: expect.stringContaining('2.6 s at load 12') as string,
  });
});

test('what an app leaves in the home folder, in /tmp or in the system is found; projects and settings may stay', () => {
  const before = ['/etc', '/home/person', '/home/person/.bashrc', '/tmp'];
  const may = [
    ...['/home/person/projects', '/home/person/projects/one', '/home/person/.local', '/home/person/.local/share'],
    ...['/home/person/.local/share/verisim', '/home/person/.local/share/verisim/settings.json', '/var/log/dpkg.log'],
  ];
  const must = [
    '/tmp/.mount_Verisim123',
    '/home/person/.config/Verisim',
    '/etc/apparmor.d/verisim',
    '/home/person/.local/share/x',
  ];
  expect(leftBehind(before, [...before, ...may, ...must])).toEqual(must);
});

test('everything that the window is built of is packaged', () => {
  const settings = readFileSync(join(checkout, 'electron-builder.yml'), 'utf8');
  const packed = [...(/^files:\n((?: {2}.*\n)+)/m.exec(settings)?.[1] ?? '').matchAll(/^ {2}- ([\w.]+)$/gm)];
  const names = packed.map(([, name]) => name ?? '');
  expect(names).toEqual(expect.arrayContaining(['main', 'preload', 'renderer', 'resources']));
  // electron-builder leaves out of the app what it also copies beside it, wherever that has the same name.
  const beside = [...settings.matchAll(/^ {2}- from: (.+)$/gm)].map(([, name]) => name ?? '');
  expect(beside).toContain('NOTICE');
  expect(beside.filter((name) => names.includes(name.split('/')[0] ?? ''))).toEqual([]);
});
