/** The languages that the window, its menus and its dialogs speak, and which of them a person gets. */

/** Language names by BCP 47, each in its own language, so that a wrong choice can be undone. */
const languageNames = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as [Language, ...Language[]];

/** `system`: the first that the system prefers and that there is; else English. */
export type LanguageChoice = 'system' | Language;

const isLanguage = (name: string): name is Language => name in languageNames;

/** @param preferred the system's languages, the dearest first: de-AT, en-GB, … */
export const languageOf = (choice: LanguageChoice, preferred: readonly string[]): Language =>
  choice === 'system' ? (preferred.map((tag) => tag.split('-')[0] ?? '').find(isLanguage) ?? 'en') : choice;

/**
 * In which language numbers are written: the one that was chosen; else the system's, undefined, where it is that of the
 * words, so that 1.234 does not stand in an English sentence.
 */
export const localeOf = (chosen: string | null, language: string, system: string): string | undefined =>
  chosen ?? (sameLanguage(system, language) ? undefined : language);

export const sameLanguage = (a: string, b: string): boolean => a.split('-')[0] === b.split('-')[0];
