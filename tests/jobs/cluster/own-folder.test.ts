/** Ranks leave no folder behind, not even one that was killed, once another begins on that machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { openOwnFolder } from '../../../main/jobs/cluster/own-folder.js';

const temporary = mkdtempSync(join(tmpdir(), 'verisim-own-'));
vi.stubEnv('TMPDIR', temporary);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true, force: true });
});

/** As a rank leaves it that is killed, where nobody ends by that number any more. */
function leave(name: string, host: string): void {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const folder = join(temporary, name);
  mkdirSync(join(folder, 'lock'), { recursive: true });
  mkdirSync(join(folder, 'work'));
  const owner = { pid, host, start: '1', command: 'rank 1', id: '01234567-89ab-cdef-0123-456789abcdef' };
  writeFileSync(join(folder, 'lock/owner.json'), JSON.stringify(owner));
}

it('clears away what killed ranks have left, and nothing of others', () => {
  leave('verisim-rank-1-dead', hostname());
  leave('verisim-rank-2-elsewhere', 'another-machine');
  mkdirSync(join(temporary, 'verisim-rank-3-beginning'));
  mkdirSync(join(temporary, 'mine'));
  const [first, second] = [openOwnFolder(1), openOwnFolder(1)];
  expect(second.path).not.toBe(first.path);
  mkdirSync(first.path);
  const names = () => readdirSync(temporary).filter((name) => !/^verisim-rank-1-/.test(name));
  const others = ['mine', 'verisim-rank-2-elsewhere', 'verisim-rank-3-beginning'];
  expect(names()).toEqual(others);
  expect(existsSync(join(temporary, 'verisim-rank-1-dead'))).toBe(false);
  expect(existsSync(first.path)).toBe(true);
  first.close();
  second.close();
  expect(readdirSync(temporary)).toEqual(others);
});
