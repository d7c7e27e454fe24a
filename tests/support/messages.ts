/** Messages as the window shows them, in both languages; numbers as each language writes them. */
import { createFormat } from '../../shared/messages/formatter.js';
import { labelSurface } from '../../shared/messages/surfaces.js';

export const inEnglish = createFormat(labelSurface('window', 'en', 'en-US'));
export const inGerman = createFormat(labelSurface('window', 'de', 'de-DE'));
