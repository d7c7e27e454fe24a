/**
 * The language of what the main process itself shows. English is words.ts; every other language is a file of the same groups
 * (words-de.ts), and a group or a word that one lacks is a type error.
 */
import { languageOf, type LanguageChoice } from '../../shared/language.js';
import * as german from './words-de.js';
import * as english from './words.js';

const inGerman: typeof english = german;
let words: typeof english = english;

/** Returns the words in the current language. */
export const appWords = (): typeof english => words;

/** @param preferred the system's languages, the dearest first */
export function speak(choice: LanguageChoice, preferred: readonly string[]): void {
  words = { en: english, de: inGerman }[languageOf(choice, preferred)];
}
