/** Formats the messages of the main process itself, in the window's language. */
import { languageOf } from '../../shared/messages/catalogue.js';
import { createFormat, type Format } from '../../shared/messages/formatter.js';
import { labelSurface } from '../../shared/messages/surfaces.js';
import { worded, type Sentence } from '../../shared/sentence.js';

let surface = labelSurface('window', 'en', 'en');
let format = createFormat(surface);

export const t = ((...given: Parameters<Format>) => format(...given)) as Format;

/** Formats a sentence that may still be plain text or parts. */
export const inLanguage = (sentence: Sentence): string =>
  worded(sentence, {
    name: (key, isOption, value) => (isOption ? surface.option(key, value) : surface.setting(key, value)),
    number: (value) => surface.number(value),
    count: (value) => value.toLocaleString(surface.locale),
    message: (message) => format(message),
  });

/** @param preferred the system's languages, the preferred one first */
export function setLanguage(choice: string, preferred: readonly string[]): void {
  const language = languageOf(choice, preferred);
  surface = labelSurface('window', language, language);
  format = createFormat(surface);
}
