/** One set-up at a time, and a lock that outlived its owner does not block the next one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withLock } from '../../main/installation/lock.mjs';
import { checkout, temporaryFolder } from '../scripts/helpers.js';

const lockModule = join(checkout, 'main/installation/lock.mjs');

/** A process that takes the lock, appends `+` to a log, works, appends `-`. */
function worker(lock: string, log: string, milliseconds: number) {
  const program = `
    import { appendFileSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(lockModule)};
    await withLock(${JSON.stringify(lock)}, () => {}, async () => {
      appendFileSync(${JSON.stringify(log)}, '+');
      await new Promise((resolve) => setTimeout(resolve, ${milliseconds}));
      appendFileSync(${JSON.stringify(log)}, '-');
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
}

/** Takes the lock, and returns the owners that were waited for. */
async function take(lock: string, work: () => Promise<unknown> = () => Promise.resolve()): Promise<string[]> {
  const owners: string[] = [];
  await withLock(lock, (pid) => void owners.push(pid), work);
  return owners;
}

test('processes work one after the other', async () => {
  const folder = temporaryFolder();
  const log = join(folder, 'log');
  const workers = Array.from({ length: 4 }, () => worker(join(folder, 'lock'), log, 30));
  await Promise.all(workers.map((child) => once(child, 'exit')));
  expect(readFileSync(log, 'utf8')).toBe('+-+-+-+-');
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});

test('the lock of a killed process is taken over', async () => {
  const folder = temporaryFolder();
  const lock = join(folder, 'lock');
  const log = join(folder, 'log');
  const child = worker(lock, log, 60_000);
  while (!existsSync(log)) await sleep(10);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(lock)).toBe(true);
  expect(await take(lock)).toEqual([]);
  expect(existsSync(lock)).toBe(false);
});

test('a process id that now belongs to another process does not count as the owner', async () => {
  const lock = join(temporaryFolder(), 'lock');
  writeFileSync(lock, `${process.pid} another-boot 1\n`);
  await take(lock);
  expect(existsSync(lock)).toBe(false);
});

test('a waiting process reports the owner, once', async () => {
  const folder = temporaryFolder();
  const lock = join(folder, 'lock');
  const log = join(folder, 'log');
  const child = worker(lock, log, 700);
  while (!existsSync(log)) await sleep(10);
  expect(await take(lock)).toEqual([String(child.pid)]);
  expect(readFileSync(log, 'utf8')).toBe('+-');
});

test('a failure inside releases the lock', async () => {
  const lock = join(temporaryFolder(), 'lock');
  await expect(take(lock, () => Promise.reject(new Error('inside')))).rejects.toThrow('inside');
  expect(existsSync(lock)).toBe(false);
});
