// Files and folders are there whole or not at all, whatever goes wrong while they are written.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../shared/errors.js';
import {
  ensureFolder,
  recover,
  removeFolderAtomic,
  writeFileAtomic,
  writeFolderAtomic,
} from '../../../main/storage/disk/atomic.js';
import { verifyFolder } from '../../../main/storage/disk/manifest.js';
import { Crash, type FaultOutcome, contents, temporaryFolder, withEveryFault } from '../faults.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Only faults a person can read, or the crash itself, come out; and a full disk is called that. */
function expectClearError({ error, fault }: FaultOutcome): void {
  if (error === null || error instanceof Crash) return;
  expect(error).toBeInstanceOf(UserError);
  if (!(error instanceof UserError)) return;
  expect(error.hint).not.toBe('');
  const codes = {
    EIO: ['file_not_writable', 'file_damaged', 'exists'],
    ENOSPC: ['disk_full', 'exists'],
    EACCES: ['file_not_writable', 'file_not_readable', 'exists'],
  };
  if (fault in codes) expect(codes[fault as keyof typeof codes]).toContain(error.code);
}

const old = { 'a.txt': 'old a', 'b.txt': 'old b' };
const fresh = {
  'a.txt': 'new a',
  'c.bin': new Uint8Array([1, 2, 3]),
  'd.bin': [new Uint8Array([4]), new Uint8Array([5])],
};

describe('writeFileAtomic', () => {
  it('writes a new file, and the folders above it', () => {
    writeFileAtomic(path.join(folder, 'x', 'y', 'z.txt'), 'hello');
    expect(contents(folder)).toEqual({ 'x/y/z.txt': 'hello' });
  });

  it('says when the path leads through a file', () => {
    fs.writeFileSync(path.join(folder, 'file'), '');
    expect(() => writeFileAtomic(path.join(folder, 'file', 'x'), 'y')).toThrow(
      expect.objectContaining({ code: 'file_not_writable' }),
    );
  });
});

describe('writeFolderAtomic', () => {
  it('writes files and a manifest with the length and SHA-256 of each', () => {
    writeFolderAtomic(path.join(folder, 'm') + path.sep, fresh);
    expect(verifyFolder(path.join(folder, 'm'))).toEqual(['a.txt', 'c.bin', 'd.bin']);
    expect(JSON.parse(fs.readFileSync(path.join(folder, 'm', 'manifest.json'), 'utf8'))).toEqual({
      format_version: 1,
      files: {
        'a.txt': { bytes: 5, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        'c.bin': { bytes: 3, sha256: '039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81' },
        'd.bin': { bytes: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
  });

  it.each([
    ['a new folder', false],
    ['one that is there', true],
  ])('leaves the old or the new state of %s and nothing else, whatever fails', (_, replaces) => {
    const target = (root: string) => path.join(root, 'm');
    const state = (files: typeof old | typeof fresh) => {
      const root = temporaryFolder();
      writeFolderAtomic(target(root), files);
      const found = contents(root);
      fs.rmSync(root, { recursive: true });
      return found;
    };
    const states = [state(fresh), replaces ? state(old) : {}];
    const operations = withEveryFault(
      (root) => replaces && writeFolderAtomic(target(root), old),
      (root, ops) => writeFolderAtomic(target(root), fresh, { ops }),
      (root, outcome) => {
        recover(root, 'm');
        expect(outcome.error === null ? states.slice(0, 1) : states).toContainEqual(contents(root));
        expect(fs.readdirSync(root).filter((name) => name !== 'm')).toEqual([]);
        expectClearError(outcome);
      },
    );
    expect(operations).toBeGreaterThan(20);
  });

  it('recovers although recovering is itself interrupted, at any operation', () => {
    const target = (root: string) => path.join(root, 'm');
    // What a crash between the two renamings leaves, from a process that is gone.
    const interrupted = (root: string) => {
      writeFolderAtomic(target(root), old);
      fs.renameSync(target(root), `${target(root)}.old-${goneProcess}-0-0-1`);
      fs.mkdirSync(`${target(root)}.tmp-${goneProcess}-0-0-1`);
      fs.writeFileSync(path.join(`${target(root)}.tmp-${goneProcess}-0-0-1`, 'a.txt'), 'ne');
    };
    withEveryFault(
      interrupted,
      (root, ops) => recover(root, undefined, ops),
      (root, outcome) => {
        recover(root);
        expect(verifyFolder(target(root))).toEqual(['a.txt', 'b.txt']);
        expect(fs.readdirSync(root)).toEqual(['m']);
        expectClearError(outcome);
      },
    );
  });

  it('never replaces a folder that holds files of other making', () => {
    fs.writeFileSync(path.join(folder, 'thesis.odt'), 'years of work');
    expect(() => writeFolderAtomic(folder, fresh)).toThrow(
      expect.objectContaining({ code: 'exists', message: expect.stringContaining('thesis.odt') }),
    );
    writeFolderAtomic(path.join(folder, 'm'), old);
    fs.writeFileSync(path.join(folder, 'm', 'notes.txt'), 'mine');
    expect(() => writeFolderAtomic(path.join(folder, 'm'), fresh)).toThrow(/notes\.txt/);
    expect(() => writeFolderAtomic(path.join(folder, 'thesis.odt'), fresh)).toThrow(/thesis\.odt/);
    expect(fs.readFileSync(path.join(folder, 'm', 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('refuses a folder whose manifest lists files that cannot be checked', () => {
    writeFolderAtomic(path.join(folder, 'm'), old);
    const manifest = path.join(folder, 'm', 'manifest.json');
    for (const text of ['{}', '{"format_version":1,"files":{"__proto__":{"bytes":0,"sha256":""}}}']) {
      fs.writeFileSync(manifest, text);
      expect(() => verifyFolder(path.join(folder, 'm'))).toThrow(expect.objectContaining({ code: 'file_damaged' }));
      expect(() => writeFolderAtomic(path.join(folder, 'm'), fresh)).toThrow(/did not write/);
    }
  });

  it('replaces an empty folder, and anything if the name is its own', () => {
    fs.mkdirSync(path.join(folder, 'm'));
    writeFolderAtomic(path.join(folder, 'm'), old);
    fs.writeFileSync(path.join(folder, 'm', 'manifest.json'), 'rubbish');
    expect(() => writeFolderAtomic(path.join(folder, 'm'), fresh)).toThrow(/did not write/);
    writeFolderAtomic(path.join(folder, 'm'), fresh, { replace: 'anything' });
    expect(verifyFolder(path.join(folder, 'm'))).toContain('c.bin');
  });

  it.each(['../x', 'a/b', '', '.', '..', 'a\0b', '__proto__', 'con.txt', 'x.'])('refuses the file name %j', (name) => {
    expect(() => writeFolderAtomic(path.join(folder, 'm'), Object.fromEntries([[name, 'x']]))).toThrow(
      expect.objectContaining({ code: 'bad_input' }),
    );
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});

describe('removeFolderAtomic', () => {
  it('leaves the whole folder or nothing, whatever fails', () => {
    withEveryFault(
      (root) => writeFolderAtomic(path.join(root, 'm'), old),
      (root, ops) => removeFolderAtomic(path.join(root, 'm'), ops),
      (root, outcome) => {
        recover(root);
        if (outcome.error === null || fs.readdirSync(root).length === 0) expect(fs.readdirSync(root)).toEqual([]);
        else expect(verifyFolder(path.join(root, 'm'))).toEqual(['a.txt', 'b.txt']);
        expectClearError(outcome);
      },
    );
    removeFolderAtomic(path.join(folder, 'was never there'));
  });
});

/** The id of a process that has ended. */
const goneProcess = spawnSync(process.execPath, ['-e', '']).pid;

describe('recover', () => {
  it('leaves what a running process is writing, and files that only look alike', () => {
    const kept = [`m.tmp-${process.ppid}-0-0-1`, 'm.tmp-1', 'm.tmp', 'm.old-x-0-0-1', `m.tmp-${process.pid}-0-9-1`];
    const removed = [`m.tmp-${goneProcess}-0-0-1`, `m.tmp-${process.pid}-notthen-0-1`];
    for (const name of [...kept, ...removed]) fs.writeFileSync(path.join(folder, name), '');
    recover(folder);
    expect(fs.readdirSync(folder).sort()).toEqual([...kept].sort());
  });

  it('touches only what belongs to the target it is asked about', () => {
    for (const base of ['m', 'n']) fs.writeFileSync(path.join(folder, `${base}.tmp-${goneProcess}-0-0-1`), '');
    recover(folder, 'm');
    expect(fs.readdirSync(folder)).toEqual([`n.tmp-${goneProcess}-0-0-1`]);
  });
});

describe('ensureFolder', () => {
  it('makes folders above a folder, and says when it cannot', () => {
    ensureFolder(path.join(folder, 'a', 'b'));
    ensureFolder(path.join(folder, 'a', 'b'));
    expect(fs.statSync(path.join(folder, 'a', 'b')).isDirectory()).toBe(true);
    fs.writeFileSync(path.join(folder, 'file'), '');
    expect(() => ensureFolder(path.join(folder, 'file'))).toThrow(
      expect.objectContaining({ code: 'file_not_writable' }),
    );
  });
});
