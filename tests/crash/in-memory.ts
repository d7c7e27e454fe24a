/** Lets the whole program work on a disk in memory, or on one that fails: every module has its files from one object. */
import { type FileOperations, nodeFileOperations } from '../../main/storage/disk/file-operations.js';

const real = { ...nodeFileOperations };

/** Until the returned function is called. What a run leaves for the end of the process goes with it. */
export function onFiles(ops: FileOperations): () => void {
  const listeners = process.listeners('exit');
  Object.assign(nodeFileOperations, ops);
  return () => {
    Object.assign(nodeFileOperations, real);
    for (const listener of process.listeners('exit')) {
      if (!listeners.includes(listener)) process.off('exit', listener);
    }
  };
}

/** Names of files that only a write in progress may have. */
export const isLeftover = (name: string): boolean =>
  /\.(tmp|old)-\d+-|\.partial\/|(^|\/)lock(\.stale-[^/]*)?\/|\.progress\/step/.test(name);

/** A finished project's files; events record interruptions too, and are left out. */
export function finishedFiles(contents: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(contents).filter(([name]) => !name.endsWith('events.jsonl')));
}
