/** A file of the installed app that was changed is named, and what was read once is not read again. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { archiveIsWhole, changedFiles, readInstalledFiles } from '../../main/app/installation.js';
import { listFiles } from '../../scripts/package/integrity.mjs';

const top = mkdtempSync(join(tmpdir(), 'verisim-installation-'));
const folder = join(top, 'app');
const stampFile = join(top, 'stamp.json');
const library = join(folder, 'runtime/library.so');
const text = 'a library';
beforeEach(() => {
  rmSync(stampFile, { force: true });
  mkdirSync(join(folder, 'runtime'), { recursive: true });
  writeFileSync(library, text);
  writeFileSync(join(folder, 'other.txt'), 'other');
});
afterAll(() => rmSync(top, { recursive: true }));

const check = async () => {
  const files = await listFiles(folder);
  writeFileSync(library, text.replace('library', 'l1brary'));
  return changedFiles({ folder, installed: { version: '1.0.0', files }, stampFile });
};

it('names what was changed, even to the same size, and what is missing', async () => {
  expect(await check()).toEqual(['runtime/library.so']);
  const files = await listFiles(folder);
  rmSync(join(folder, 'other.txt'));
  expect(await changedFiles({ folder, installed: { version: '1.0.0', files }, stampFile })).toEqual(['other.txt']);
});

it('reads all once, and again only what looks different', async () => {
  const files = await listFiles(folder);
  const options = { folder, installed: { version: '1.0.0', files }, stampFile };
  expect(await changedFiles(options)).toEqual([]);
  const stamp = readFileSync(stampFile, 'utf8');
  expect(Object.keys((JSON.parse(stamp) as { seen: object }).seen).sort()).toEqual(Object.keys(files).sort());
  // Of the same size and time, as somebody would change it who does not want to be seen.
  const { atime, mtime } = statSync(library);
  writeFileSync(library, text.replace('library', 'l1brary'));
  utimesSync(library, atime, mtime);
  expect(await changedFiles(options)).toEqual(['runtime/library.so']);
  expect(readFileSync(stampFile, 'utf8')).toBe(stamp);
});

it('a checkout has no list; a broken list is no list of an empty app', () => {
  expect(readInstalledFiles(join(top, 'none.json'))).toBeNull();
  writeFileSync(join(top, 'broken.json'), '{"files":');
  expect(() => readInstalledFiles(join(top, 'broken.json'))).toThrow();
});

it('an archive must have the hash that lies beside it', () => {
  const archive = join(top, 'app.asar');
  writeFileSync(archive, 'archive');
  expect(archiveIsWhole(archive, readFileSync)).toBe(false);
  writeFileSync(
    join(top, 'integrity.json'),
    JSON.stringify({ asar: createHash('sha256').update('archive').digest('hex') }),
  );
  expect(archiveIsWhole(archive, readFileSync)).toBe(true);
  writeFileSync(archive, 'archive!');
  expect(archiveIsWhole(archive, readFileSync)).toBe(false);
});
