/** Checks names from outside: one step of a path, so that none leads out of the project. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';

const acceptable = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
/** Devices on Windows, whatever their extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

export function isName(name: string): boolean {
  return acceptable.test(name) && !reserved.test(name) && !name.endsWith('.');
}

/** @throws UserError `bad_input` when `name` is not a plain file name */
export function checkName(name: string): void {
  if (isName(name)) return;
  throw new UserError({
    code: 'bad_input',
    message: localized('disk.acceptable_name', { name: JSON.stringify(name) }),
    hint: localized('disk.use_letters_digits_dots_hyphens'),
  });
}
