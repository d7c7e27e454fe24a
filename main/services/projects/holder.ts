/** Finds the process that works in a project's folder. */
import { UserError } from '../../../shared/errors.js';
import { lockHolder } from '../../storage/disk/lock.js';

/** @returns null if the project is free; `pid` is null if its lock cannot be read */
export function holderOf(folder: string) {
  try {
    const holder = lockHolder(folder);
    return holder && { host: holder.host, pid: holder.pid, command: holder.command };
  } catch (error) {
    if (error instanceof UserError) return { host: '', pid: null, command: '' };
    throw error;
  }
}
