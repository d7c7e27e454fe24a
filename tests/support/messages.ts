/** Messages as the window shows them, in both languages; numbers as each language writes them. */
import { readCatalogues } from '../../main/installation/locales.mjs';
import { addCatalogues } from '../../shared/messages/catalogue.js';
import { createFormat } from '../../shared/messages/formatter.js';
import type { Message } from '../../shared/messages/message.js';
import { labelSurface, plainEnglish } from '../../shared/messages/surfaces.js';

addCatalogues(readCatalogues());

export const inEnglish = createFormat(labelSurface('window', 'en', 'en-US'));
export const inGerman = createFormat(labelSurface('window', 'de', 'de-DE'));

/** A fault or problem with plain English texts. */
export const plainFault = <F extends { readonly message: Message; readonly hint: Message }>(fault: F) => ({
  ...fault,
  message: plainEnglish(fault.message),
  hint: plainEnglish(fault.hint),
});
