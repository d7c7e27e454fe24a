// The trash of the freedesktop.org specification, from which a file manager restores, and that of macOS.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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

const linux = () => ({ platform: 'linux', dataHome: path.join(root, 'data') }) as const;
const trash = (...names: string[]) => path.join(root, 'data', 'Trash', ...names);
const refusing = (name: 'rename' | 'makeFolder', code: string) => ({
  ...nodeFileOperations,
  [name]: () => {
    throw Object.assign(new Error(code), { code, syscall: name });
  },
});

it('moves a folder to the trash of the user, with a note of its place', () => {
  expect(moveToTrash(target, linux())).toBe(trash('files', 'my böök'));
  expect(fs.readdirSync(trash('files', 'my böök'))).toEqual(['a']);
  expect(fs.existsSync(target)).toBe(false);
  const note = fs.readFileSync(trash('info', 'my böök.trashinfo'), 'utf8').split('\n');
  expect(note.slice(0, 2)).toEqual(['[Trash Info]', `Path=${root}/my%20b%C3%B6%C3%B6k`]);
  const date = /^DeletionDate=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)$/.exec(note[2] ?? '')?.[1];
  expect(Math.abs(Date.now() - new Date(String(date)).getTime())).toBeLessThan(60_000);
});

it('numbers a name that the trash or only a note has already', () => {
  fs.mkdirSync(trash('info'), { recursive: true });
  fs.writeFileSync(trash('info', 'my böök.trashinfo'), '');
  expect(moveToTrash(target, linux())).toBe(trash('files', 'my böök.2'));
  fs.mkdirSync(target);
  expect(moveToTrash(target, linux())).toBe(trash('files', 'my böök.3'));
});

it('changes nothing if the trash is on another disk or cannot be written', () => {
  for (const ops of [refusing('rename', 'EXDEV'), refusing('makeFolder', 'EROFS')]) {
    expect(moveToTrash(target, { ...linux(), ops })).toBeNull();
    expect(fs.readdirSync(target)).toEqual(['a']);
  }
  expect(fs.readdirSync(trash('info'))).toEqual([]);
  const nothing = () => moveToTrash(path.join(root, 'nothing'), linux());
  expect(nothing).toThrow(expect.objectContaining({ code: 'file_not_found' }));
});

it('uses the trash of macOS if there is one, and none on Windows', () => {
  expect(moveToTrash(target, { platform: 'darwin', home: root })).toBeNull();
  expect(moveToTrash(target, { platform: 'win32' })).toBeNull();
  fs.mkdirSync(path.join(root, '.Trash'));
  expect(moveToTrash(target, { platform: 'darwin', home: root })).toBe(path.join(root, '.Trash', 'my böök'));
});
