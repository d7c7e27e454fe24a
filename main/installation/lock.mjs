// One at a time on a machine, of set-ups and of downloads: a lock file that names its owner, a process id together with that
// process's start time. A lock whose owner is gone (killed, or the machine was restarted) is recognised and taken over.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, ownStart, unknownStart } from './process-identity.mjs';

/** @param {string} text a lock file's content: process id and start */
function ownerLives(text) {
  const [pid, start = unknownStart] = text.trim().split(' ');
  return isRunning(Number(pid), start);
}

/** @param {string} path */
function readLock(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Removes a stale lock. Moving it aside first means that only one of several waiting processes removes it, and that a
 * lock taken meanwhile is put back.
 * @param {string} path
 * @param {string} stale the content that was seen
 */
function removeStale(path, stale) {
  const aside = `${path}.${String(process.pid)}.stale`;
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
 * @param {(text: string) => void} say called once if it has to wait
 * @param {() => Promise<T>} work
 * @param {{ what?: string, signal?: AbortSignal | undefined }} [options] what runs, for `say`; ends the waiting
 * @returns {Promise<T>}
 */
export async function withLock(path, say, work, { what = 'set-up', signal } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  taken += 1;
  const mine = `${path}.${String(process.pid)}.${String(taken)}`;
  writeFileSync(mine, `${String(process.pid)} ${ownStart}\n`);
  let isAnnounced = false;
  try {
    for (;;) {
      try {
        linkSync(mine, path); // fails when the lock is there; it appears with its content, never empty
        break;
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      }
      const content = readLock(path);
      if (content !== null && !ownerLives(content)) {
        removeStale(path, content);
        continue;
      }
      if (!isAnnounced) say(`Another ${what} is running (process ${content?.split(' ')[0] ?? '?'}); waiting for it.`);
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
