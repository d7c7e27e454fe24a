/**
 * Formats messages in the terminal's language: English, until index.ts has found another in the environment. A process has one
 * terminal, so the language is the module's.
 */
import { createFormat, type Format } from '../../shared/messages/formatter.js';
import type { Language } from '../../shared/messages/catalogue.js';
import { terminalSurface } from '../../shared/messages/surfaces.js';
import { worded, type Sentence } from '../../shared/sentence.js';

let surface = terminalSurface('en');
let format = createFormat(surface);

export function setLanguage(language: Language): void {
  surface = terminalSurface(language);
  format = createFormat(surface);
}

export const t = ((message: never, params?: never) => format(message, params)) as Format;

/** Formats a sentence that may still be plain text or parts. */
export const inLanguage = (sentence: Sentence): string =>
  worded(sentence, {
    name: (key, isOption, value) => (isOption ? surface.option(key, value) : surface.setting(key, value)),
    number: String,
    count: (value) => value.toLocaleString(surface.locale),
    message: (message) => format(message),
  });

/** The language that LC_ALL, LC_MESSAGES or LANG names, such as `de` for de_AT.UTF-8; English for programs that read along. */
export function languageOf(environment: NodeJS.ProcessEnv): Language {
  if (isSet(environment['CI']) || isSet(environment['VITEST'])) return 'en';
  const locale = [environment['LC_ALL'], environment['LC_MESSAGES'], environment['LANG']].find(isSet) ?? 'en';
  const language = /^[a-z]{2,3}(?![a-z])/i.exec(locale)?.[0].toLowerCase() ?? 'en';
  return language;
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';
