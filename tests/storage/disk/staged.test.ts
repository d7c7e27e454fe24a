// What grows under a temporary name appears whole or not at all, whatever fails on the way.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../shared/errors.js';
import { copyFileAtomic, recover } from '../../../main/storage/disk/atomic.js';
import type { FileOperations } from '../../../main/storage/disk/file-operations.js';
import { copyFolder, stageFile, stageFolder } from '../../../main/storage/disk/staged.js';
import { contents, Crash, temporaryFolder, withEveryFault } from '../faults.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** As callers use it: what fails is aborted. After a crash that does nothing any more, but to this test's own process. */
function writeFile(root: string, ops: FileOperations): void {
  const file = stageFile(path.join(root, 'f.bin'), ops);
  try {
    file.write(bytes('one '));
    file.write(bytes('two'));
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
}

function writeFolder(root: string, ops: FileOperations): void {
  const folder = stageFolder(path.join(root, 'd'), ops);
  try {
    const file = stageFile(path.join(folder.path, 'f.bin'), ops);
    file.write(bytes('new'));
    file.commit();
    folder.commit();
  } catch (error) {
    folder.abort();
    throw error;
  }
}

/** What is copied lies next to the folder in which everything is broken. */
const original = temporaryFolder();
fs.writeFileSync(path.join(original, 'f.bin'), 'copied', { mode: 0o444 });
afterAll(() => fs.rmSync(original, { recursive: true }));
const copyFile = (root: string, ops: FileOperations) =>
  copyFileAtomic(path.join(original, 'f.bin'), path.join(root, 'f.bin'), ops);
const copyOfFolder = (root: string, ops: FileOperations) => copyFolder(original, path.join(root, 'd'), ops);

describe.each([
  ['a file', writeFile, 'f.bin', 'one two'],
  ['a folder', writeFolder, path.join('d', 'f.bin'), 'new'],
  ['a copied file', copyFile, 'f.bin', 'copied'],
  ['a copied folder', copyOfFolder, path.join('d', 'f.bin'), 'copied'],
] as const)('%s', (_, write, name, fresh) => {
  it.each([
    ['where there is none', null],
    ['in place of another', 'old'],
  ])('%s is whole, the old one, or not there, whatever fails', (_where, old) => {
    const before: Record<string, string> = old === null ? {} : { [name]: old };
    const operations = withEveryFault(
      (root) => {
        if (old === null) return;
        fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
        fs.writeFileSync(path.join(root, name), old);
      },
      write,
      (root, { error, fault }) => {
        if (error === null || error instanceof Crash) {
          recover(root);
          expect([before, { [name]: fresh }]).toContainEqual(contents(root));
          if (error === null && fault !== 'short') expect(contents(root)).toEqual({ [name]: fresh });
        } else {
          expect(error).toBeInstanceOf(UserError);
          recover(root); // what could not be removed because removing failed
          expect([before, { [name]: fresh }]).toContainEqual(contents(root));
        }
      },
    );
    expect(operations).toBeGreaterThan(8);
  });
});

it('a copy of a folder leaves out what is being written in it, and can be written', () => {
  const root = temporaryFolder();
  const from = path.join(root, 'from');
  fs.mkdirSync(path.join(from, 'in'), { recursive: true });
  fs.writeFileSync(path.join(from, 'a'), 'a', { mode: 0o444 });
  fs.writeFileSync(path.join(from, 'in', 'b'), 'b');
  const growing = stageFile(path.join(from, 'c'));
  growing.write(bytes('half'));
  copyFolder(from, path.join(root, 'to'));
  growing.abort();
  expect(contents(path.join(root, 'to'))).toEqual({ a: 'a', 'in/b': 'b' });
  expect(fs.statSync(path.join(root, 'to', 'a')).mode & 0o200).toBe(0o200);
  fs.rmSync(root, { recursive: true });
});

describe('what was finished, committed or aborted', () => {
  it('stays so', () => {
    const root = temporaryFolder();
    try {
      const file = stageFile(path.join(root, 'f.bin'));
      file.write(bytes('x'));
      file.finish();
      file.finish();
      expect(() => file.write(bytes('y'))).toThrow('the file is closed');
      file.commit();
      file.abort();
      const other = stageFile(path.join(root, 'g.bin'));
      other.finish();
      other.abort();
      other.abort();
      const folder = stageFolder(path.join(root, 'd'));
      folder.commit();
      folder.abort();
      expect(fs.readdirSync(root).sort()).toEqual(['d', 'f.bin']);
    } finally {
      fs.rmSync(root, { recursive: true });
    }
  });
});

it('can have its beginning written last', () => {
  const root = temporaryFolder();
  const file = stageFile(path.join(root, 'f.bin'));
  file.write(bytes('____'));
  file.write(bytes('rest'));
  file.writeStart(bytes('head'));
  file.write(bytes('!'));
  file.commit();
  expect(contents(root)).toEqual({ 'f.bin': 'headrest!' });
  fs.rmSync(root, { recursive: true });
});
