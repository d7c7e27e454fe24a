/** Formats the messages of the main process itself, in the window's language. */
import { languageOf } from '../../shared/messages/catalogue.js';
import { createFormat, type Format } from '../../shared/messages/formatter.js';
import { labelSurface } from '../../shared/messages/surfaces.js';

let format = createFormat(labelSurface('window', 'en', 'en'));

export const t = ((...given: Parameters<Format>) => format(...given)) as Format;

/** @param preferred the system's languages, the preferred one first */
export function setLanguage(choice: string, preferred: readonly string[]): void {
  const language = languageOf(choice, preferred);
  format = createFormat(labelSurface('window', language, language));
}
