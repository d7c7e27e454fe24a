/** Formats messages and days for files that are read elsewhere: settings by their labels, numbers as the language writes them. */
import { dateFormatter } from '../../../shared/base/formatters.js';
import type { Language } from '../../../shared/messages/catalogue.js';
import { createFormat, type Format } from '../../../shared/messages/formatter.js';
import { labelSurface } from '../../../shared/messages/surfaces.js';

export const documentFormat = (language: Language): Format =>
  createFormat(labelSurface('document', language, language));

/** The day in UTC, so that a page is the same everywhere. @param moment ISO 8601 */
export const formatDay = (moment: string, language: Language): string =>
  dateFormatter(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(moment));
