/** Several files as the one pattern that `data_path` takes: `/texts/{one.txt,more/two.txt}`. */
import { localized } from '../../../shared/messages/message.js';
import { sep } from 'node:path';
import { UserError } from '../../../shared/errors.js';

const MAX_PATTERN = 30_000;

/** Returns a pattern that matches these absolute paths. @throws UserError `bad_input` if there is none */
export function patternOf(paths: readonly string[]): string {
  const [first = '', ...others] = [...new Set(paths)];
  if (others.length === 0) return first;
  const all = [first, ...others].map((path) => path.split(sep));
  const depth =
    all[0]?.findIndex((part, at) => all.some((parts) => at === parts.length - 1 || parts[at] !== part)) ?? 0;
  const common = (all[0] ?? []).slice(0, depth).map(quoted).join('/');
  const inside = all.map((parts) => parts.slice(depth).map(quoted).join('/'));
  const pattern = `${common}/{${inside.join(',')}}`;
  if (
    depth > 0 &&
    pattern.length <= MAX_PATTERN &&
    !inside.some((path) => /[{},]/.test(path)) &&
    !/[{}]/.test(common)
  ) {
    return pattern;
  }
  throw new UserError({
    code: 'bad_input',
    message: localized('files.these_files_cannot_taken_together'),
    hint: localized('files.put_them_into_one_folder'),
    field: 'data_path',
  });
}

/** Characters with a meaning in patterns are escaped by brackets. */
const quoted = (name: string): string => name.replace(/[*?[]/g, '[$&]');
