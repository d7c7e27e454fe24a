/** Whether a file is still the one that it was: what was read of it, and what it was opened as, holds as long. */
import { statSync, type BigIntStats } from 'node:fs';

/** The same for as long as nobody changes the file, also where it is moved or linked. */
export const identityOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs].join();

/** The same; and another one where a file was written in place and made to look as old as it was. */
export const stampOf = (stats: BigIntStats): string => `${identityOf(stats)},${stats.ctimeNs}`;

/** The stamp of a file or folder; null where there is none. */
export function stampAt(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : stampOf(stats);
}

/** What `read` makes of a file or folder, read again only where that has changed. */
export function untilChanged<T>(read: (path: string) => T): (path: string) => T {
  const known = new Map<string, { readonly stamp: string | null; readonly value: T }>();
  return (path) => {
    const stamp = stampAt(path);
    const there = known.get(path);
    if (there?.stamp === stamp) return there.value;
    const value = read(path);
    known.set(path, { stamp, value });
    return value;
  };
}
