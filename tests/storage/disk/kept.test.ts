// What was read of a file is kept while the file is as it was.
import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeFileAtomic } from '../../../main/storage/disk/atomic.js';
import { nodeFileOperations } from '../../../main/storage/disk/file-operations.js';
import { createKept } from '../../../main/storage/disk/kept.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-kept-'));
afterAll(() => rmSync(folder, { recursive: true }));
const long = new Date('2026-01-01T00:00:00Z');

/** Counts how often something is read. */
function counted(kept: ReturnType<typeof createKept<object | null>>, ops = nodeFileOperations) {
  let reads = 0;
  const read = (file: string) => kept.of(file, ops, () => ({ read: ++reads }));
  return { read, reads: () => reads };
}

it('reads a file once, and again when it was replaced or written in place, though it looks as old and as long', () => {
  const file = join(folder, 'config.json');
  const { read, reads } = counted(createKept({ most: 2 }));
  const old = (text: string, write: (file: string, text: string) => void) => {
    write(file, text);
    utimesSync(file, long, long);
  };
  old('one', writeFileSync);
  expect(read(file)).toBe(read(file));
  old('two', writeFileAtomic);
  expect(read(file)).toEqual({ read: 2 });
  old('six', writeFileSync);
  read(file);
  expect(reads()).toBe(3);
});

it('what was only just written may be written again within a tick: it is read each time, unless it only grows', () => {
  const file = join(folder, 'log.jsonl');
  writeFileSync(file, 'one\n');
  const [whole, log] = [counted(createKept({ most: 2 })), counted(createKept({ most: 2, onlyGrows: true }))];
  for (const { read } of [whole, whole, log, log]) read(file);
  expect([whole.reads(), log.reads()]).toEqual([2, 1]);
  appendFileSync(file, 'two\n');
  log.read(file);
  expect(log.reads()).toBe(2);
});

it('keeps the last few, nothing where there is nothing, and of stood-in files none', () => {
  const kept = createKept<object | null>({ most: 2 });
  const files = ['a', 'b', 'c'].map((name) => join(folder, name));
  for (const file of files) {
    writeFileSync(file, '');
    utimesSync(file, long, long);
  }
  const { read, reads } = counted(kept);
  for (const file of [...files, ...files.slice(1)]) read(file);
  expect(reads()).toBe(3);
  read(files[0] ?? '');
  expect(reads()).toBe(4);
  const other = counted(kept, { ...nodeFileOperations });
  other.read(files[2] ?? '');
  other.read(files[2] ?? '');
  expect(other.reads()).toBe(2);
  let asked = 0;
  const nothing = () => (asked++, null);
  const missing = join(folder, 'none');
  expect([kept.of(missing, nodeFileOperations, nothing), kept.of(missing, nodeFileOperations, nothing)]).toEqual([
    ...[null, null],
  ]);
  expect(asked).toBe(2);
});
