/** The window's messages in the user's language: `t('home.title')`. What renders with it follows the language. */
import { computed, shallowRef } from 'vue';
import type { Locale } from '../../shared/base/formatters.js';
import { addCatalogues, hasCode, type Catalogue, type Language } from '../../shared/messages/catalogue.js';
import { createFormat, type Format } from '../../shared/messages/formatter.js';
import { labelSurface } from '../../shared/messages/surfaces.js';

const files = import.meta.glob<Catalogue>('../../resources/locales/*.json', { eager: true, import: 'default' });
addCatalogues(
  Object.fromEntries(Object.entries(files).map(([file, texts]) => [/(\w+)\.json$/.exec(file)?.[1] ?? file, texts])),
);

/** The language of the words. */
export const windowLanguage = shallowRef<Language>('en');
/** The locale of numbers; undefined is the system's. */
export const windowLocale = shallowRef<Locale>();
const format = computed(() => createFormat(labelSurface('window', windowLanguage.value, windowLocale.value)));

export const t: Format = ((...given: Parameters<Format>) => format.value(...given)) as Format;

/** The message of a code that is put together at run time, or `otherwise` if no such code exists. */
export const textOr = (code: string, otherwise: string): string => (hasCode(code) ? t(code) : otherwise);
