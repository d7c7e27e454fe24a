/** What the system says about a file, in words a person can act on: the words alone, file-errors.ts has the exceptions. */
import type { Fault } from './errors.js';

const denied = new Set(['EACCES', 'EPERM', 'EROFS']);
export const fullDisk: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** `temporary`: written where the system keeps what is soon removed, which nobody chose. */
export type Doing = 'read' | 'write' | 'temporary';

/** The system's code of an exception (`ENOSPC`), or null when it is not about a file. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  return String(error.code);
}

/** Where somebody has chosen the folder. */
const FREE_SPACE =
  'Free some space on this disk, or choose a folder on another one, and run the command again; nothing half-written was kept.';

export function fileFault(code: string, path: string, doing: Doing): Fault {
  if (fullDisk.has(code)) {
    return {
      code: 'disk_full',
      message: `The disk is full: ${path} could not be written (${code})`,
      hint:
        doing === 'temporary'
          ? 'Free some space on this disk, or set TMPDIR (TEMP on Windows) to a folder on another one, and try again.'
          : FREE_SPACE,
    };
  }
  if (doing === 'temporary') {
    return {
      code: 'file_not_writable',
      message: `Cannot write ${path} (${code})`,
      hint: 'It is for what is soon removed: set TMPDIR (TEMP on Windows) to a folder that can be written.',
    };
  }
  if (code === 'ENOENT' || (code === 'ENOTDIR' && doing === 'read')) {
    return { code: 'file_not_found', message: `File not found: ${path}`, hint: 'Check that the path is correct.' };
  }
  if (code === 'EISDIR' && doing === 'read') {
    return { code: 'file_not_readable', message: `${path} is a folder, not a file`, hint: 'Name a file in it.' };
  }
  if (doing === 'write') {
    return {
      code: 'file_not_writable',
      message: `Cannot write ${path} (${code})`,
      hint: denied.has(code)
        ? 'You have no permission to write there; choose another folder, or change its permissions.'
        : 'Check the disk, or choose another folder.',
    };
  }
  if (code === 'EIO') {
    return {
      code: 'file_damaged',
      message: `The disk could not read ${path} (${code})`,
      hint: 'The disk or its connection is failing; copy what you can to another one.',
    };
  }
  return {
    code: 'file_not_readable',
    message: `Cannot read ${path} (${code})`,
    hint: denied.has(code) ? 'You have no permission to read it; change its permissions.' : 'Check that it is a file.',
  };
}

/** System calls that change nothing; opening may be either. */
const reading = new Set([
  'open',
  'read',
  'stat',
  'lstat',
  'fstat',
  'scandir',
  'opendir',
  'readlink',
  'realpath',
  'access',
]);

/**
 * What a disk says that nobody has put into words on the way: that it is full, may not be written or read, or fails. Null for
 * all else, which may well be a mistake of ours.
 */
export function diskFault(error: unknown): Fault | null {
  const code = systemCode(error);
  if (code === null) return null;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path === undefined) {
    // A call that writes is told by its handle alone.
    return fullDisk.has(code) ? { code: 'disk_full', message: `The disk is full (${code})`, hint: FREE_SPACE } : null;
  }
  if (!fullDisk.has(code) && !denied.has(code) && code !== 'EIO') return null;
  return fileFault(code, path, code !== 'EROFS' && reading.has(syscall ?? '') ? 'read' : 'write');
}
