/** Finds the process that works in a project's folder. */
import { UserError } from '../../../shared/errors.js';
import { lockHolder } from '../../storage/disk/lock.js';

type Holder = Pick<NonNullable<ReturnType<typeof lockHolder>>, 'host' | 'pid' | 'command'>;

/** @returns null if the project is free, `unknown` if its lock cannot be read */
export function holderOf(folder: string): Holder | 'unknown' | null {
  try {
    const holder = lockHolder(folder);
    return holder && { host: holder.host, pid: holder.pid, command: holder.command };
  } catch (error) {
    if (error instanceof UserError) return 'unknown';
    throw error;
  }
}
