/** Formats the day of a moment in UTC, so that an exported page is the same everywhere. */
import { dateFormatter } from '../../../shared/base/formatters.js';
import type { Language } from '../../../shared/language.js';

/** @param moment ISO 8601 */
export const formatDay = (moment: string, language: Language): string =>
  dateFormatter(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(moment));
