/** Facts that must be the same on every rank are compared, and a rank leaves only when the others have its last message. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it, afterAll, vi } from 'vitest';
import { leavingLast, mustBeSame, openOwnFolder } from '../../../main/jobs/cluster/in-team.js';
import { teamOf } from '../../support/team.js';

const three = () => teamOf([{ requested: false }, { requested: false }, { requested: false }]);

it('names on every rank who differs from rank 0 and in what', async () => {
  const facts = [
    { settings: '3', text: 'a'.repeat(64) },
    { settings: '4', text: 'a'.repeat(64) },
    { settings: '3', text: 'b'.repeat(64) },
  ];
  const results = await Promise.allSettled(three().map((member, rank) => mustBeSame(member, facts[rank] ?? {})));
  for (const each of results)
    expect(each).toMatchObject({
      reason: {
        code: 'cluster',
        message:
          'The ranks differ: rank 1 differs from rank 0 in its settings: 4, not 3; rank 2 differs from rank 0 in its text: bbbbbbbbbbbb, not aaaaaaaaaaaa',
      },
    });
  await Promise.all(three().map((member) => mustBeSame(member, { text: 'a' })));
});

it('keeps a stopped rank alive until the others have its last message', async () => {
  const [team] = teamOf([{ requested: false }]);
  if (!team) throw new Error('no rank');
  let sentAt = -Infinity;
  const stopped = leavingLast(team, async () => {
    await team.agree();
    sentAt = performance.now();
    throw new Error('stopped');
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(performance.now() - sentAt).toBeGreaterThan(250);
});

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
  // Folders of killed ranks, whose process number is free: empty, and with contents.
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
