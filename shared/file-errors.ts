/**
 * What the system says about a file, in words a person can act on. Whatever touches a path passes its exceptions through
 * here, so that ENOSPC never reaches a person as ENOSPC.
 */
import { type Fault, UserError } from './errors.js';

const denied = new Set(['EACCES', 'EPERM', 'EROFS']);
export const fullDisk: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** `temporary`: written where the system keeps what is soon removed, which nobody chose. */
type Doing = 'read' | 'write' | 'temporary';

/** The system's code of an exception (`ENOSPC`), or null when it is not about a file. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  return String(error.code);
}

/** Whether a file's contents are not what they should be; a disk that could not read them is another matter. */
export const isDamage = (error: unknown): boolean =>
  error instanceof UserError && error.code === 'file_damaged' && systemCode(error.cause) === null;

/** Any exception as one to throw on: a system error about `path` becomes a `UserError`, the rest stays as it is. */
export function fileError(error: unknown, path: string, doing: Doing): unknown {
  const code = systemCode(error);
  return code === null ? error : new UserError(fileFault(code, path, doing), { cause: error });
}

function fileFault(code: string, path: string, doing: Doing): Fault {
  if (fullDisk.has(code)) {
    return {
      code: 'disk_full',
      message: `The disk is full: ${path} could not be written (${code})`,
      hint:
        doing === 'temporary'
          ? 'Free some space on this disk, or set TMPDIR (TEMP on Windows) to a folder on another one, and try again.'
          : 'Free some space on this disk, or choose a folder on another one, and run the command again; nothing half-written was kept.',
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

/** Runs `action`; system errors come out as faults about `path`. */
export function onFile<T>(path: string, doing: Doing, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw fileError(error, path, doing);
  }
}
