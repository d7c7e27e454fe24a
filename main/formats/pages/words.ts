/** What every page that is given away says at its end, in every language. */
import type { Language } from '../../../shared/language.js';

interface PageWords {
  readonly data: string;
  readonly asJson: string;
}

export const pageWords: Readonly<Record<Language, PageWords>> = {
  en: { data: 'Data', asJson: 'The figures above as JSON' },
  de: { data: 'Daten', asJson: 'Die Zahlen von oben als JSON' },
};
