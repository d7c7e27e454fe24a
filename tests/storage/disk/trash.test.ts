// What is deleted lies in the trash as the freedesktop.org specification says, from where a file manager puts it back.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileOperations } from '../../../main/storage/disk/file-operations.js';
import { moveToTrash } from '../../../main/storage/disk/trash.js';
import { temporaryFolder } from '../faults.js';

let root: string;
let target: string;
beforeEach(() => {
  root = temporaryFolder();
  target = path.join(root, 'my böök');
  fs.mkdirSync(target);
  fs.writeFileSync(path.join(target, 'a'), 'a');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'any' });
const now = new Date(2026, 10, 5, 7, 8, 9);
const linux = () => ({ platform: 'linux', dataHome: path.join(root, 'data'), now, uid: 77 }) as const;

describe('on Linux', () => {
  it('a folder goes to the trash of the user, with a note of where it was', () => {
    const there = path.join(root, 'data', 'Trash', 'files', 'my böök');
    expect(moveToTrash(target, linux())).toBe(there);
    expect(fs.readdirSync(there)).toEqual(['a']);
    expect(fs.existsSync(target)).toBe(false);
    expect(fs.readFileSync(path.join(root, 'data', 'Trash', 'info', 'my böök.trashinfo'), 'utf8')).toBe(
      `[Trash Info]\nPath=${root}/my%20b%C3%B6%C3%B6k\nDeletionDate=2026-11-05T07:08:09\n`,
    );
  });

  it('a name that is there already gets a number', () => {
    moveToTrash(target, linux());
    fs.mkdirSync(target);
    expect(moveToTrash(target, linux())).toBe(path.join(root, 'data', 'Trash', 'files', 'my böök.2'));
    expect(fs.readdirSync(path.join(root, 'data', 'Trash', 'info'))).toHaveLength(2);
  });

  it('a folder on another disk goes to that disk’s own trash', () => {
    // Renaming from one disk to another is what the system refuses; here it refuses the user's trash.
    const ops = {
      ...nodeFileOperations,
      rename(from: string, to: string) {
        if (to.startsWith(path.join(root, 'data')))
          throw Object.assign(new Error('EXDEV'), { code: 'EXDEV', syscall: 'rename' });
        nodeFileOperations.rename(from, to);
      },
    };
    const stick = path.join(root, 'stick');
    fs.mkdirSync(stick);
    expect(moveToTrash(target, { ...linux(), ops, diskOf: () => stick })).toBe(
      path.join(stick, '.Trash-77', 'files', 'my böök'),
    );
    expect(fs.readdirSync(path.join(root, 'data', 'Trash', 'info'))).toEqual([]);
  });

  it('on another disk belongs to whoever deletes', () => {
    const ops = {
      ...nodeFileOperations,
      makeFolder(folder: string) {
        if (folder.startsWith(path.join(root, 'data'))) throw system('EACCES');
        nodeFileOperations.makeFolder(folder);
      },
    };
    const options = { ...linux(), uid: undefined, ops, diskOf: () => root };
    const { uid: _, ...mine } = options;
    expect(moveToTrash(target, mine)).toBe(path.join(root, `.Trash-${os.userInfo().uid}`, 'files', 'my böök'));
  });

  it('where no trash can be, nothing happens', () => {
    const ops = {
      ...nodeFileOperations,
      makeFolder() {
        throw Object.assign(new Error('EROFS'), { code: 'EROFS', syscall: 'mkdir' });
      },
    };
    expect(moveToTrash(target, { ...linux(), ops })).toBeNull();
    expect(fs.readdirSync(target)).toEqual(['a']);
    expect(() => moveToTrash(path.join(root, 'nothing'), linux())).toThrow(
      expect.objectContaining({ code: 'file_not_found' }),
    );
  });
});

describe('with what the system says of itself', () => {
  it('the trash is where the environment has it', () => {
    const before = process.env['XDG_DATA_HOME'];
    try {
      process.env['XDG_DATA_HOME'] = path.join(root, 'xdg');
      expect(moveToTrash(target, { platform: 'linux' })).toBe(path.join(root, 'xdg', 'Trash', 'files', 'my böök'));
      fs.mkdirSync(target);
      process.env['XDG_DATA_HOME'] = '';
      expect(moveToTrash(target, { platform: 'linux', home: root })).toBe(
        path.join(root, '.local', 'share', 'Trash', 'files', 'my böök'),
      );
    } finally {
      if (before === undefined) delete process.env['XDG_DATA_HOME'];
      else process.env['XDG_DATA_HOME'] = before;
    }
  });

  it('a name that only the notes have is not used again', () => {
    fs.mkdirSync(path.join(root, 'data', 'Trash', 'info'), { recursive: true });
    fs.writeFileSync(path.join(root, 'data', 'Trash', 'info', 'my böök.trashinfo'), '');
    expect(moveToTrash(target, linux())).toBe(path.join(root, 'data', 'Trash', 'files', 'my böök.2'));
  });
});

describe('elsewhere', () => {
  it('macOS’s trash takes it, if there is one, and Windows has none for us', () => {
    expect(moveToTrash(target, { platform: 'darwin', home: root })).toBeNull();
    expect(moveToTrash(target, { platform: 'win32' })).toBeNull();
    fs.mkdirSync(path.join(root, '.Trash'));
    const refusing = (error: Error) => ({
      ...nodeFileOperations,
      rename() {
        throw error;
      },
    });
    const mac = { platform: 'darwin', home: root } as const;
    expect(moveToTrash(target, { ...mac, ops: refusing(system('EXDEV')) })).toBeNull();
    // What is no word of the system's is a bug, and no trash that cannot be used.
    expect(() => moveToTrash(target, { ...mac, ops: refusing(new RangeError('a bug')) })).toThrow('a bug');
    expect(fs.readdirSync(target)).toEqual(['a']);
    expect(moveToTrash(target, mac)).toBe(path.join(root, '.Trash', 'my böök'));
  });
});
