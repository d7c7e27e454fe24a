/** The day of a moment as a page that is given away writes it: wherever it is read, the same. */
import { dateFormatter } from '../../../shared/base/formatters.js';
import type { Language } from '../../../shared/language.js';

/** @param moment ISO 8601 */
export const formatDay = (moment: string, language: Language): string =>
  dateFormatter(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(moment));
