/**
 * The catalogues by language. English is part of the program; the others are added by the surface that shows them: the page
 * imports resources/locales, a program of Node reads it (main/installation/locales.mjs). A file there is a language.
 */
import english from '../../resources/locales/en.json' with { type: 'json' };
import type { MessageCode } from './message.js';

/** By BCP 47: the name of the language's file. */
export type Language = string;

export type Catalogue = Readonly<Record<string, string>>;

const catalogues = new Map<Language, Catalogue>([['en', english]]);

export function addCatalogues(added: Readonly<Record<Language, Catalogue>>): void {
  for (const [language, texts] of Object.entries(added)) catalogues.set(language, texts);
}

export const languages = (): readonly Language[] => [...catalogues.keys()].sort();

const isLanguage = (name: string): name is Language => catalogues.has(name);

/** Names the language as its speakers do, so that they find it. */
export const languageName = (language: Language): string =>
  new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;

/**
 * Chooses the language of the words: `system` is the first preferred one that exists.
 * @param preferred the system's languages, most preferred first: de-AT, en-GB, …
 */
export function languageOf(choice: string, preferred: readonly string[]): Language {
  if (isLanguage(choice)) return choice;
  return preferred.map((tag) => tag.split('-')[0] ?? '').find(isLanguage) ?? 'en';
}

/**
 * Chooses the locale of numbers: the user's choice; else the system's, undefined, if it has the language of the words, so that
 * 1.234 does not appear in an English sentence.
 */
export const localeOf = (chosen: string | null, language: Language, system: string): string | undefined =>
  chosen ?? (sameLanguage(system, language) ? undefined : language);

/** Chooses the locale of times ("3 minutes ago"), whose words belong to the sentence around them. */
export const timeLocaleOf = (locale: string | undefined, language: Language): string =>
  locale !== undefined && sameLanguage(locale, language) ? locale : language;

const sameLanguage = (a: string, b: string): boolean => a.split('-')[0] === b.split('-')[0];

/** Returns the ICU text of a code: in English if the language lacks it, the code itself if no language has it. */
export const textOf = (language: Language, code: MessageCode): string =>
  catalogues.get(language)?.[code] ?? (english as Catalogue)[code] ?? code;

export const hasCode = (code: string): code is MessageCode => Object.hasOwn(english, code);
