/** What the system says about a file, in words a person can act on: the words alone, file-errors.ts has the exceptions. */
import { localized } from './messages/message.js';
import type { Fault } from './errors.js';

const denied = new Set(['EACCES', 'EPERM', 'EROFS']);
export const fullDisk: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** A disk that was unplugged, or a network drive that was lost. */
const unplugged = new Set(['ENODEV', 'ENXIO', 'ENOMEDIUM', 'ENOTCONN', 'EHOSTDOWN', 'ESTALE']);

/** `temporary`: written to the system's temporary folder, which the user did not choose. */
export type Doing = 'read' | 'write' | 'temporary';

/** The system's code of an exception (`ENOSPC`), or null when it is not about a file. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  return String(error.code);
}

/** For a folder that the user has chosen. */
const FREE_SPACE = localized('fileFaults.free_space');

export function fileFault(code: string, path: string, doing: Doing): Fault {
  if (fullDisk.has(code)) {
    return {
      code: 'disk_full',
      message: localized('fileFaults.disk_full_could_written', { path, code }),
      hint: doing === 'temporary' ? localized('fileFaults.free_some_space_disk_set') : FREE_SPACE,
    };
  }
  if (doing === 'temporary') {
    return {
      code: 'file_not_writable',
      message: localized('fileFaults.cannot_write', { path, code }),
      hint: localized('fileFaults.soon_removed_set_tmpdir_temp'),
    };
  }
  // A file is written where its folder was until now.
  if (unplugged.has(code) || (code === 'ENOENT' && doing === 'write')) {
    return {
      code: 'file_not_found',
      message: localized('fileFaults.folder_gone', { path, code }),
      hint: localized('fileFaults.connect_disk'),
    };
  }
  if (code === 'ENOENT' || (code === 'ENOTDIR' && doing === 'read')) {
    return {
      code: 'file_not_found',
      message: localized('fileFaults.file_found', { path }),
      hint: localized('fileFaults.check_path_correct'),
    };
  }
  if (code === 'EISDIR' && doing === 'read') {
    return {
      code: 'file_not_readable',
      message: localized('fileFaults.folder_file', { path }),
      hint: localized('fileFaults.name_file'),
    };
  }
  if (doing === 'write') {
    return {
      code: 'file_not_writable',
      message: localized('fileFaults.cannot_write', { path, code }),
      hint:
        code === 'EROFS'
          ? localized('fileFaults.read_only')
          : denied.has(code)
            ? localized('fileFaults.you_no_permission_write_there')
            : localized('fileFaults.check_disk_choose_another_folder'),
    };
  }
  if (code === 'EIO') {
    return {
      code: 'file_damaged',
      message: localized('fileFaults.disk_could_read', { path, code }),
      hint: localized('fileFaults.disk_connection_failing_copy_you'),
    };
  }
  return {
    code: 'file_not_readable',
    message: localized('fileFaults.cannot_read', { path, code }),
    hint: denied.has(code) ? localized('fileFaults.you_no_permission_read_change') : localized('fileFaults.check_file'),
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
 * Words disk failures that were not handled before: full, protected or failing. Null for all else, which may well be
 * our own bug.
 */
export function diskFault(error: unknown): Fault | null {
  const code = systemCode(error);
  if (code === null) return null;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path === undefined) {
    // A call that writes is recognized by its handle alone.
    return fullDisk.has(code)
      ? { code: 'disk_full', message: localized('fileFaults.disk_full', { code }), hint: FREE_SPACE }
      : null;
  }
  if (![fullDisk, denied, unplugged].some((codes) => codes.has(code)) && code !== 'EIO') return null;
  return fileFault(code, path, code !== 'EROFS' && reading.has(syscall ?? '') ? 'read' : 'write');
}
