/** The catalogues, and the languages that there are: one for each file of resources/locales. */
import locales from '#locales';
import type { MessageCode } from './message.js';

/** By BCP 47: the name of the language's file. */
export type Language = string;

export const languages: readonly Language[] = Object.keys(locales).sort();

export const isLanguage = (name: string): name is Language => Object.hasOwn(locales, name);

/** Names the language as its speakers do, so that they find it. */
export const languageName = (language: Language): string => locales[language]?.['language.name'] ?? language;

/** Returns the ICU text of a code: in English if the language lacks it, the code itself if no language has it. */
export const textOf = (language: Language, code: MessageCode): string =>
  locales[language]?.[code] ?? locales['en']?.[code] ?? code;

export const hasCode = (code: string): code is MessageCode => Object.hasOwn(locales['en'] ?? {}, code);
