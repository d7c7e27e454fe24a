/**
 * Formats messages in the terminal's language: English, until index.ts has found another in the environment. A process has one
 * terminal, so the language is the module's.
 */
import type { Locale } from '../../shared/base/formatters.js';
import { program } from '../../shared/config/command-line.js';
import type { Language } from '../../shared/messages/catalogue.js';
import { createFormat, type Format } from '../../shared/messages/formatter.js';
import { terminalSurface } from '../../shared/messages/surfaces.js';

let surface = terminalSurface('en');
let format = createFormat(surface);

/** Names a command with a flag that the running one lacks. */
let commandWith: (flag: string) => string | undefined = () => undefined;

export const setCommandWith = (find: typeof commandWith) => void (commandWith = find);

export function setLanguage(language: Language): void {
  const plain = terminalSurface(language);
  const option: typeof plain.option = (key, value) => {
    const [flag, command] = [plain.option(key, value), commandWith(key)];
    return command === undefined ? flag : `${flag} (${program} ${command})`;
  };
  surface = { ...plain, option };
  format = createFormat(surface);
}

export const t = ((message: never, params?: never) => format(message, params)) as Format;

/** The locale of numbers. */
export const locale = (): Locale => surface.locale;

/** The tag that LC_ALL, LC_MESSAGES or LANG names, such as `de-AT` for de_AT.UTF-8; English for programs that read along. */
export function localeIn(environment: NodeJS.ProcessEnv): string {
  if (environment['CI'] || environment['VITEST']) return 'en';
  const name = environment['LC_ALL'] || environment['LC_MESSAGES'] || environment['LANG'] || '';
  return /^[a-z]{2,3}(?![a-z])[\w-]*/i.exec(name)?.[0].replaceAll('_', '-') ?? 'en';
}
