/**
 * The window's words, in the language that is spoken now. Each language is a file of the type `Strings` (en.ts, de.ts, …) and
 * stands in `languages` of shared/language.ts: a word that one of them lacks is a type error.
 */
import { shallowReactive } from 'vue';
import { windowLocale } from '../format/window-locale.js';
import type { Language } from '../../shared/language.js';
import { de } from './de.js';
import { setLanguage } from '../messages/index.js';
import { en, type Strings } from './en.js';

const words: Readonly<Record<Language, Strings>> = { en, de };

/** What is taken from it while rendering follows the language; App.vue makes everything anew that was taken before. */
export const strings: Strings = shallowReactive({ ...en });

export function speak(language: Language): void {
  Object.assign(strings, words[language]);
  setLanguage(language, windowLocale.value);
}
