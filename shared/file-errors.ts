/**
 * Turns exceptions about files into those for users. Everything that touches a path passes its exceptions through here,
 * so that a user never sees a bare ENOSPC.
 */
import { UserError } from './errors.js';
import { type Doing, fileFault, systemCode } from './file-faults.js';

/** Whether a file's contents are not what they should be; a disk that could not read them is another matter. */
export const isDamage = (error: unknown): boolean =>
  error instanceof UserError && error.code === 'file_damaged' && systemCode(error.cause) === null;

/** Any exception as one to throw on: a system error about `path` becomes a `UserError`, the rest stays as it is. */
export function fileError(error: unknown, path: string, doing: Doing): unknown {
  const code = systemCode(error);
  return code === null ? error : new UserError(fileFault(code, path, doing), { cause: error });
}

/** Runs `action`; system errors come out as faults about `path`. */
export function onFile<T>(path: string, doing: Doing, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw fileError(error, path, doing);
  }
}
