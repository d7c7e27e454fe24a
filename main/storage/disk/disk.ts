/** How much room a disk has, asked before something long begins rather than found out in the middle of it. */
import { localized } from '../../../shared/messages/message.js';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';

type StatFs = (folder: string) => { readonly bavail: number; readonly bsize: number };

/** Bytes this user may still write at `target`, which need not exist yet; null when the system does not tell. */
export function freeBytes(target: string, statFs: StatFs = fs.statfsSync): number | null {
  try {
    const { bavail, bsize } = statFs(target);
    return bavail * bsize;
  } catch {
    // Not there yet, or a Node before 18.15 (Electron's oldest releases), which cannot ask.
    const parent = path.dirname(target);
    return parent === target ? null : freeBytes(parent, statFs);
  }
}

/** @param what for the message: "the reward dataset". @throws UserError `disk_full` naming what is missing */
export function requireSpace(target: string, needed: number, what: string, statFs?: StatFs): void {
  const free = freeBytes(target, statFs);
  if (free === null || free >= needed) return;
  throw new UserError({
    code: 'disk_full',
    message: localized('disk.enough_room_needs_free_missing', {
      what,
      target,
      inWords: inWords(needed),
      inWords2: inWords(free),
      inWords3: inWords(needed - free),
    }),
    hint: localized('disk.free_some_space_disk_choose'),
  });
}

/** A number of bytes for people, in decimal units as disks are sold and shown: 1500000 is "1.5 MB". */
export function inWords(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit]}`;
}
