/** Exceptions that nobody has put into words on the way: what a disk says is told as that, all else as a bug. */
import { inEnglish, plainFault } from '../support/messages.js';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toFault as faultFor } from '../../shared/errors.js';
import { fileFault } from '../../shared/file-faults.js';

const toFault = (error: unknown) => plainFault(faultFor(error));

function faultOf(action: () => unknown) {
  try {
    action();
  } catch (error) {
    return toFault(error);
  }
  throw new Error('nothing went wrong');
}
const systemError = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, syscall, ...(path === undefined ? {} : { path }) });

describe('what the system says of a disk', () => {
  // A device of Linux that is always full, and a file system that nothing can be made in.
  it.runIf(process.platform === 'linux')('is told, by a real disk', () => {
    const full = faultOf(() => writeFileSync('/dev/full', 'x'));
    expect(full).toMatchObject({ code: 'disk_full', message: 'The disk is full (ENOSPC)', hint: /^Free some space/ });
    const closed = faultOf(() => mkdirSync('/sys/kernel/verisim'));
    expect(closed).toMatchObject({ code: 'file_not_writable', message: /^Cannot write \/sys\/kernel\/verisim \(E/ });
  });

  it.each([
    ['EDQUOT', 'mkdir', '/a', 'disk_full', 'The disk is full: /a could not be written (EDQUOT)'],
    ['EROFS', 'open', '/a', 'file_not_writable', 'Cannot write /a (EROFS)'],
    ['EACCES', 'unlink', '/a', 'file_not_writable', 'Cannot write /a (EACCES)'],
    ['EACCES', 'scandir', '/a', 'file_not_readable', 'Cannot read /a (EACCES)'],
    ['EIO', 'open', '/a', 'file_damaged', 'The disk could not read /a (EIO)'],
    ['ENODEV', 'open', '/a', 'file_not_found', 'The folder of /a is gone (ENODEV)'],
    ['ESTALE', 'rename', '/a', 'file_not_found', 'The folder of /a is gone (ESTALE)'],
  ])('is told: %s of %s', (code, syscall, path, wanted, message) => {
    expect(toFault(systemError(code, syscall, path))).toMatchObject({ code: wanted, message });
  });

  it.each([
    ['ENOSPC', /^Free some space/],
    ['EROFS', /^The disk is read-only/],
    ['EACCES', /no permission to write there/],
    ['EIO', /^Check the disk/],
    ['ENOTCONN', /^Its disk was unplugged/],
    ['ENOENT', /^Its disk was unplugged/],
  ])('has its own advice: %s', (code, hint) => {
    expect(inEnglish(fileFault(code, '/a', 'write').hint)).toMatch(hint);
  });

  it.each([
    ['a file that was to be there', systemError('ENOENT', 'open', '/a')],
    ['a port that others have', systemError('EACCES', 'listen')],
    ['a connection', systemError('ECONNRESET', 'read')],
    ['a mistake', new TypeError('x is not a function')],
    ['what is no error', 'text'],
  ])('is not what else may go wrong: %s', (_what, error) => {
    expect(toFault(error)).toMatchObject({ code: 'internal', hint: /bug in Verisim/ });
  });

  it('is not of a file that the program itself lacks', () => {
    expect(faultOf(() => readFileSync('/nowhere')).code).toBe('internal');
  });
});
