/** Ranks leave no folder behind, not even one that was killed the moment it was made, once another begins on that machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { openOwnFolder } from '../../../main/jobs/cluster/in-team.js';

const temporary = mkdtempSync(join(tmpdir(), 'verisim-own-'));
vi.stubEnv('TMPDIR', temporary);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true, force: true });
});

it('clears away what killed ranks have left, and nothing of others', () => {
  const [first, second] = [openOwnFolder(1), openOwnFolder(1)];
  expect(second.path).not.toBe(first.path);
  mkdirSync(first.path);
  mkdirSync(second.path);
  // As ranks leave them that are killed, where nobody ends by that number any more: before they have made anything, and after.
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const own = basename(dirname(second.path));
  const named = (change: (name: string) => string) => join(temporary, change(own));
  const dead = named((name) => name.replace(`-${process.pid}-`, `-${pid}-`));
  const elsewhere = named((name) => name.replace(/^verisim-rank-1-.{8}-\d+-/, `verisim-rank-1-00000000-${pid}-`));
  renameSync(dirname(second.path), dead);
  mkdirSync(`${dead}again`);
  mkdirSync(elsewhere);
  mkdirSync(join(temporary, 'mine'));
  const third = openOwnFolder(2);
  expect([dead, `${dead}again`].map((folder) => existsSync(folder))).toEqual([false, false]);
  expect(existsSync(first.path)).toBe(true);
  first.close();
  third.close();
  expect(readdirSync(temporary).sort()).toEqual(['mine', basename(elsewhere)].sort());
});
