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

export const isLanguage = (name: string): name is Language => catalogues.has(name);

/** Names the language as its speakers do, so that they find it. */
export const languageName = (language: Language): string => catalogues.get(language)?.['language.name'] ?? language;

/** Returns the ICU text of a code: in English if the language lacks it, the code itself if no language has it. */
export const textOf = (language: Language, code: MessageCode): string =>
  catalogues.get(language)?.[code] ?? (english as Catalogue)[code] ?? code;

export const hasCode = (code: string): code is MessageCode => Object.hasOwn(english, code);
