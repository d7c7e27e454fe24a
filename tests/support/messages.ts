/** Messages as the window shows them, in both languages; numbers as each language writes them. */
import { readCatalogues } from '../../main/installation/locales.mjs';
import { addCatalogues } from '../../shared/messages/catalogue.js';
import { createFormat } from '../../shared/messages/formatter.js';
import { labelSurface } from '../../shared/messages/surfaces.js';

addCatalogues(readCatalogues());

export const inEnglish = createFormat(labelSurface('window', 'en', 'en-US'));
export const inGerman = createFormat(labelSurface('window', 'de', 'de-DE'));
