/**
 * The folder of a rank that has not the one that was asked for: in the system's folder for such things, gone when the rank
 * ends. What a rank that was killed has left is cleared away by the next on that machine.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock, lockHolder } from '../../storage/disk/lock.js';

const PREFIX = 'verisim-rank-';

interface OwnFolder {
  /** Not made yet. */
  readonly path: string;
  close(): void;
}

export function openOwnFolder(rank: number): OwnFolder {
  clearLeft();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${rank}-`));
  const lock = acquireLock(folder, `rank ${rank}`);
  return {
    path: join(folder, 'work'),
    close() {
      lock.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function clearLeft(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    try {
      // Without a lock, somebody may be about to take it.
      if (existsSync(join(folder, 'lock')) && lockHolder(folder) === null)
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
}
