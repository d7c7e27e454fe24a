// Serialises set-ups and downloads on a machine with a lock file that holds its owner's process id and start time. The lock of
// an owner that is gone (killed, or the machine was restarted) is taken over.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, ownStart, unknownStart } from './process-identity.mjs';

/** @param {string} path */
function readLock(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Removes a stale lock. It is moved aside first, so that only one of several waiting processes removes it, and a lock taken
 * meanwhile is put back.
 * @param {string} path
 * @param {string} stale its content
 */
function removeStale(path, stale) {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (readLock(aside) !== stale) linkSync(aside, path);
  } catch {
    // another process was quicker
  }
  rmSync(aside, { force: true });
}

/** Distinguishes the locks taken by one process. */
let taken = 0;

/**
 * Runs `work` while holding the lock; waits for another holder.
 * @template T
 * @param {string} path the lock file
 * @param {(pid: string) => void} onWait called once, with the holder's process id, if it has to wait
 * @param {() => Promise<T>} work
 * @param {AbortSignal} [signal] ends the waiting
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work, signal) {
  mkdirSync(dirname(path), { recursive: true });
  taken += 1;
  const mine = `${path}.${process.pid}.${taken}`;
  writeFileSync(mine, `${process.pid} ${ownStart}\n`);
  let isAnnounced = false;
  try {
    for (;;) {
      try {
        linkSync(mine, path); // fails if the lock is there; it appears with its content, never empty
        break;
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      }
      const content = readLock(path);
      const [pid = '?', start = unknownStart] = content?.trim().split(' ') ?? [];
      if (content !== null && !isRunning(Number(pid), start)) {
        removeStale(path, content);
        continue;
      }
      if (!isAnnounced) onWait(pid);
      isAnnounced = true;
      await sleep(250, undefined, signal ? { signal } : {});
    }
  } finally {
    rmSync(mine, { force: true });
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
