/**
 * The folder of a rank that has not the one that was asked for: in the system's folder for such things, gone when the rank
 * ends. What a rank that was killed has left is cleared away by the next on that machine. Whose a folder is says its name,
 * so that there is no moment in which it is nobody's.
 */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, ownStart } from '../../installation/process-identity.mjs';
import { makeTemporaryFolder } from '../../storage/disk/temporary-folder.js';

/** `verisim-rank-<rank>-<machine>-<process>-<its start>-…`; the folder may be one that several machines share. */
const owned = /^verisim-rank-\d+-([0-9a-f]{8})-(\d+)-([0-9a-z]+)-/;

interface OwnFolder {
  /** Not made yet. */
  readonly path: string;
  close(): void;
}

export function openOwnFolder(rank: number): OwnFolder {
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  const folder = makeTemporaryFolder(`rank-${rank}-${machine}-${process.pid}-${ownStart}`);
  clearLeft(machine);
  return { path: join(folder.path, 'work'), close: folder.remove };
}

function clearLeft(ofMachine: string): void {
  for (const name of readdirSync(tmpdir())) {
    const [, machine, pid, start = ''] = owned.exec(name) ?? [];
    if (machine !== ofMachine || isRunning(Number(pid), start)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
}
