/**
 * One writer for a project: the folder `lock/` in it, which says who holds it. Taking it is renaming a folder with the
 * owner's name already inside, which the system refuses when `lock/` is there and not empty; so two can never both
 * have it. A holder that is gone is recognised by its process id together with the time that process started.
 */
import { localized } from '../../../shared/messages/message.js';
import { randomUUID } from 'node:crypto';
import * as os from 'node:os';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { stableJson } from '../../formats/stable-json.js';
import { isRunning, ownStart } from '../../installation/process-identity.mjs';
import { beginWrite, cleanUp, recover } from './atomic.js';
import { writeNewFile } from './file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { systemCode } from '../../../shared/file-faults.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { readJson } from './json-file.js';

const ownerSchema = z.object({
  pid: z.int(),
  host: z.string(),
  /** See process-identity. */
  start: z.string(),
  command: z.string(),
  /** Tells this taking of the lock from every other. */
  id: z.string().regex(/^[0-9a-f-]{36}$/),
});
type LockOwner = z.infer<typeof ownerSchema>;

export interface ProjectLock {
  /** Gives the lock up; doing so twice is fine. Also happens when the process exits by itself. */
  release(): void;
}

const lockName = 'lock';
const ownerName = 'owner.json';
const stalePrefix = `${lockName}.stale-`;
/** How often another process may come first between two looks before that is taken for an error. */
const attempts = 10;

/** Who holds a project, when it is someone that may still be running; null when it is free. */
export function lockHolder(project: string, ops: FileOperations = nodeFileOperations): LockOwner | null {
  const owner = readOwner(project, ops);
  return owner === null || isGone(owner) ? null : owner;
}

/** @throws UserError `locked` that names the holder if another process uses the project */
export function mustBeFree(project: string): void {
  const holder = lockHolder(project);
  if (holder !== null) throw locked(project, holder);
}

/** Takes a project's lock, also from a holder that is gone. @throws UserError `locked` naming the holder; `file_not_writable` */
export function acquireLock(project: string, command: string, ops: FileOperations = nodeFileOperations): ProjectLock {
  const owner: LockOwner = { pid: process.pid, host: os.hostname(), start: ownStart, command, id: randomUUID() };
  return onFile(path.join(project, lockName), 'write', () => {
    recover(project, lockName, ops);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (take(project, owner, ops)) return heldLock(project, owner, ops);
      const holder = readOwner(project, ops);
      if (holder !== null && !isGone(holder)) throw locked(project, holder);
      if (holder !== null) moveStale(project, holder, ops);
    }
    throw locked(project, null);
  });
}

/** @returns false when the lock is taken */
function take(project: string, owner: LockOwner, ops: FileOperations): boolean {
  const write = beginWrite();
  const temporary = path.join(project, `${lockName}.tmp-${write.mark}`);
  try {
    ops.makeFolder(temporary);
    writeNewFile(path.join(temporary, ownerName), `${stableJson(owner, 2)}\n`, ops);
    return unlessTaken(() => ops.rename(temporary, path.join(project, lockName)));
  } finally {
    write.finish();
    cleanUp(project, lockName, ops);
  }
}

/** Renames a stale lock to a name of its own id, which stays until release, so that another process cannot move the new lock. */
function moveStale(project: string, holder: LockOwner, ops: FileOperations): void {
  unlessTaken(() => ops.rename(path.join(project, lockName), path.join(project, stalePrefix + holder.id)));
}

/** Runs a renaming; false when another process came first. */
function unlessTaken(rename: () => void): boolean {
  try {
    rename();
    return true;
  } catch (error) {
    // Windows says EPERM where others say that the target is not empty.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOENT'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

function heldLock(project: string, owner: LockOwner, ops: FileOperations): ProjectLock {
  const release = () => {
    process.off('exit', release);
    try {
      if (readOwner(project, ops)?.id !== owner.id) return;
      // First out of the way in one step, then removed: a lock being emptied file by file could be taken half-way.
      moveStale(project, owner, ops);
      for (const name of ops.list(project)) if (name.startsWith(stalePrefix)) ops.remove(path.join(project, name));
    } catch {
      // The project folder cannot be reached any more. A lock left there is stale as soon as this process ends.
    }
  };
  process.on('exit', release);
  return { release };
}

function readOwner(project: string, ops: FileOperations): LockOwner | null {
  const damaged = () => locked(project, null);
  return readJson(path.join(project, lockName, ownerName), ownerSchema, { damaged, ops });
}

const isGone = (owner: LockOwner) => owner.host === os.hostname() && !isRunning(owner.pid, owner.start);

function locked(project: string, holder: LockOwner | null): UserError {
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host} (${holder.command})`;
  const hint =
    holder?.host === os.hostname()
      ? 'Wait until it has finished, or stop it first.'
      : `If you are sure that nothing uses this project any more, delete the folder ${path.join(project, lockName)}.`;
  return new UserError({ code: 'locked', message: localized('disk.is_in_use_by', { project, who }), hint });
}
