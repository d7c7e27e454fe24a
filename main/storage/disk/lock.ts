/**
 * Allows one writer for a project: the folder `lock/` in it names its holder. Taking it is renaming a folder with the
 * owner's name already inside, which the system refuses when `lock/` exists and is not empty; so two can never both
 * have it. A holder that has ended is recognised by its process id together with the time that process started.
 */
import { randomUUID } from 'node:crypto';
import { statSync, utimesSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { systemCode } from '../../../shared/file-faults.js';
import { localized } from '../../../shared/messages/message.js';
import { stableJson } from '../../formats/stable-json.js';
import { isRunning, ownStart } from '../../installation/process-identity.mjs';
import { beginWrite } from './atomic.js';
import { writeNewFile } from './file-bytes.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import { readJson } from './json-file.js';

const ownerSchema = z.object({
  pid: z.int(),
  host: z.string(),
  /** See process-identity. */
  start: z.string(),
  command: z.string(),
  id: z.string().regex(/^[0-9a-f-]{36}$/),
});
type LockOwner = z.infer<typeof ownerSchema>;

export interface ProjectLock {
  /** Releases the lock; a second call does nothing. Also happens when the process exits by itself. */
  release(): void;
}

const lockName = 'lock';
const ownerName = 'owner.json';
const stalePrefix = `${lockName}.stale-`;
const ATTEMPTS = 10;
/** A holder gives a sign so often, for other computers, which cannot see its process; and counts as silent after so long. */
const SIGN_MILLISECONDS = 20_000;
const SILENT_MILLISECONDS = 120_000;

/** Returns the holder of a project that may still be running; null when the project is free. */
export function lockHolder(project: string, ops = nodeFileOperations): LockOwner | null {
  const owner = readOwner(project, ops);
  return owner === null || hasEnded(owner) ? null : owner;
}

/** When a holder on another computer, such as a container that is gone, gave its last sign; null for one that may well run. */
export function silentSince(project: string, { host }: Pick<LockOwner, 'host'>): Date | null {
  const file = path.join(project, lockName, ownerName);
  const sign = host === os.hostname() ? undefined : statSync(file, { throwIfNoEntry: false })?.mtime;
  return sign && Date.now() - sign.getTime() > SILENT_MILLISECONDS ? sign : null;
}

/** Frees a project from a holder that is silent, at the user's request. @throws UserError `locked` if it is not */
export function takeOver(project: string, ops = nodeFileOperations): void {
  const holder = lockHolder(project, ops);
  if (holder !== null && silentSince(project, holder) === null) throw locked(project, holder);
  if (holder !== null) moveStale(project, holder, ops);
}

/** @throws UserError `locked` that names the holder if another process uses the project */
export function mustBeFree(project: string): void {
  const holder = lockHolder(project);
  if (holder !== null) throw locked(project, holder);
}

/** Takes a project's lock, also from a holder that has ended. @throws UserError `locked` naming the holder; `file_not_writable` */
export function acquireLock(project: string, command: string, ops = nodeFileOperations): ProjectLock {
  const owner: LockOwner = { pid: process.pid, host: os.hostname(), start: ownStart, command, id: randomUUID() };
  return onFile(path.join(project, lockName), 'write', () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (take(project, owner, ops)) return heldLock(project, owner, ops);
      const holder = readOwner(project, ops);
      if (holder !== null && !hasEnded(holder)) throw locked(project, holder);
      if (holder !== null) moveStale(project, holder, ops);
    }
    throw locked(project, null);
  });
}

function take(project: string, owner: LockOwner, ops: FileOperations): boolean {
  const { temporary, target, end } = beginWrite(path.join(project, lockName), ops);
  try {
    ops.makeFolder(temporary);
    writeNewFile(path.join(temporary, ownerName), `${stableJson(owner, 2)}\n`, ops);
    return unlessTaken(() => ops.rename(temporary, target));
  } finally {
    end();
  }
}

/** Renames a stale lock to a name of its own id, which stays until release, so that another process cannot move the new lock. */
function moveStale(project: string, holder: LockOwner, ops: FileOperations): void {
  unlessTaken(() => ops.rename(path.join(project, lockName), path.join(project, stalePrefix + holder.id)));
}

function unlessTaken(rename: () => void): boolean {
  try {
    rename();
    return true;
  } catch (error) {
    // Windows reports EPERM for a target that is not empty.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOENT'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

function heldLock(project: string, owner: LockOwner, ops: FileOperations): ProjectLock {
  const sign = () => {
    try {
      const file = path.join(project, lockName, ownerName);
      if (readOwner(project, ops)?.id === owner.id) utimesSync(file, new Date(), new Date());
    } catch {
      // A disk that is away for a while.
    }
  };
  const signs = setInterval(sign, SIGN_MILLISECONDS).unref();
  const release = () => {
    clearInterval(signs);
    process.off('exit', release);
    try {
      if (readOwner(project, ops)?.id !== owner.id) return;
      // Renamed in one step, then removed: a lock being emptied file by file could be taken half-way.
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

const hasEnded = (owner: LockOwner) => owner.host === os.hostname() && !isRunning(owner.pid, owner.start);

function locked(project: string, holder: LockOwner | null): UserError {
  return new UserError({
    code: 'locked',
    message:
      holder === null
        ? localized('disk.in_use', { project })
        : localized('disk.in_use_by', {
            project,
            pid: String(holder.pid),
            host: holder.host,
            command: holder.command,
            since: silentSince(project, holder)?.toISOString().replace(/\.\d+/, '') ?? null,
          }),
    hint:
      holder?.host === os.hostname()
        ? localized('disk.wait_or_stop')
        : localized('disk.delete_lock', { lock: path.join(project, lockName) }),
  });
}
