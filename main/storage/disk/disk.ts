/** Measures free space, so that long work fails before it begins rather than in the middle. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { bytes, localized, type Message } from '../../../shared/messages/message.js';

type StatFs = (folder: string) => { readonly bavail: number; readonly bsize: number };

/** Returns the bytes that this user may still write at `target`, which need not exist yet; null if they are unknown. */
export function freeBytes(target: string, statFs: StatFs = fs.statfsSync): number | null {
  try {
    const { bavail, bsize } = statFs(target);
    return bavail * bsize;
  } catch {
    const parent = path.dirname(target);
    return parent === target ? null : freeBytes(parent, statFs);
  }
}

/** @param what names the data in the message. @throws UserError `disk_full` */
export function requireSpace(target: string, needed: number, what: string | Message, statFs?: StatFs): void {
  const free = freeBytes(target, statFs);
  if (free === null || free >= needed) return;
  const sizes = { needed: bytes(needed), free: bytes(free), missing: bytes(needed - free) };
  throw new UserError({
    code: 'disk_full',
    message: localized('disk.no_room', { what, target, ...sizes }),
    hint: localized('disk.free_some_space_disk_choose'),
  });
}
