// Whole files in and out, and what the system says about them in words.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileError } from '../../../shared/file-errors.js';
import { systemCode } from '../../../shared/file-faults.js';
import {
  fileSource,
  measureFile,
  openFile,
  readSmall,
  readText,
  withFile,
  writeNewFile,
} from '../../../main/storage/disk/file-bytes.js';
import { nodeFileOperations } from '../../../main/storage/disk/file-operations.js';
import { temporaryFolder, withEveryFault } from '../faults.js';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

describe('files', () => {
  it('are written and read whole, in pieces of any size', () => {
    const file = path.join(folder, 'f');
    const written = writeNewFile(
      file,
      [Buffer.from('a'), new Uint8Array(5_000_000), Buffer.from('ü')],
      nodeFileOperations,
    );
    expect(written).toEqual(measureFile(file));
    expect(written.bytes).toBe(5_000_003);
    expect(readSmall(file, 1 << 23).byteLength).toBe(5_000_003);
    expect(readText(file).endsWith('\0ü')).toBe(true);
  });

  it('are read right or not at all, whatever fails', () => {
    const file = (root: string) => path.join(root, 'f');
    let read: string | null = null;
    withEveryFault(
      (root) => fs.writeFileSync(file(root), 'some text'),
      (root, ops) => {
        read = null;
        read = readText(file(root), ops);
      },
      (_, { fault, error }) => {
        expect(read).toBe(error === null ? 'some text' : null);
        if (fault === 'EIO')
          expect(error).toMatchObject({ code: 'file_damaged', message: expect.stringContaining('could not read') });
        if (fault === 'EACCES') expect(error).toMatchObject({ code: 'file_not_readable' });
      },
    );
  });

  it('are read again later, and not once they are other files or gone', () => {
    const file = path.join(folder, 'f');
    fs.writeFileSync(file, 'some text');
    const source = fileSource(file);
    const part = () => {
      const into = new Uint8Array(4);
      source.read(5, into);
      return Buffer.from(into).toString();
    };
    expect([source.byteLength, part(), part()]).toEqual([9, 'text', 'text']);
    fs.renameSync(file, `${file}.moved`);
    expect(part).toThrow(expect.objectContaining({ code: 'file_not_found' }));
    fs.writeFileSync(file, 'some text');
    expect(part).toThrow(
      expect.objectContaining({ code: 'file_damaged', message: expect.stringContaining('was changed') }),
    );
    fs.renameSync(`${file}.moved`, file);
    expect(part()).toBe('text');
    fs.writeFileSync(file, 'more text');
    expect(part).toThrow('was changed while it was in use');
  });

  it('say when they got shorter while open', () => {
    const file = path.join(folder, 'f');
    fs.writeFileSync(file, 'some text');
    withFile(file, (source) => {
      fs.truncateSync(file, 4);
      expect(() => source.read(0, new Uint8Array(9))).toThrow(expect.objectContaining({ code: 'file_damaged' }));
    });
  });

  it('say when they are not there, or are folders', () => {
    expect(() => openFile(path.join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'file_not_found' }));
    expect(() => openFile(path.join(folder, 'none', 'none'))).toThrow(/File not found/);
    expect(() => readText(folder)).toThrow(expect.objectContaining({ code: 'file_not_readable' }));
  });
});

describe('fileError', () => {
  const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });

  it.each<[string, 'read' | 'write', string]>([
    ['ENOSPC', 'write', 'disk_full'],
    ['EDQUOT', 'write', 'disk_full'],
    ['EROFS', 'write', 'file_not_writable'],
    ['EIO', 'write', 'file_not_writable'],
    ['ENOENT', 'write', 'file_not_found'],
    ['ENOTDIR', 'write', 'file_not_writable'],
    ['ENOTDIR', 'read', 'file_not_found'],
    ['EMFILE', 'read', 'file_not_readable'],
    ['EPERM', 'read', 'file_not_readable'],
  ])('of %s in a %s is %s', (code, doing, expected) => {
    const fault = fileError(system(code), '/x/y', doing);
    expect(fault).toMatchObject({
      code: expected,
      message: expect.stringContaining('/x/y'),
      hint: expect.stringMatching(/\.$/),
    });
  });

  it('leaves what is not about a file as it is', () => {
    for (const other of [new TypeError('bug'), 'text', null, Object.assign(new Error('x'), { code: 'ERR_X' })]) {
      expect(fileError(other, '/x', 'read')).toBe(other);
      expect(systemCode(other)).toBeNull();
    }
  });
});
