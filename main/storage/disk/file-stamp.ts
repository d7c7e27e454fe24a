/** Detects whether a file has changed since it was read. */
import { statSync, type BigIntStats } from 'node:fs';

export const identityOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs].join();

/** Returns the stamp of a file or folder, or null. It differs too if a file was written in place and its time set back. */
export function stampAt(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${identityOf(stats)},${stats.ctimeNs}`;
}

/** Keeps what was read of a path while its stamp stays. @param stampOf null: it is read each time */
export function untilChanged<T>(read: (path: string) => T, stampOf = stampAt): (path: string) => T {
  const cache = new Map<string, { readonly stamp: string | null; readonly value: T }>();
  return (path) => {
    const stamp = stampOf(path);
    const cached = cache.get(path);
    if (stamp !== null && cached?.stamp === stamp) return cached.value;
    const value = read(path);
    cache.set(path, { stamp, value });
    return value;
  };
}
