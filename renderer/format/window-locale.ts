/** The language that the window writes in, for what is called from everywhere. */
import { shallowRef } from 'vue';
import type { Locale } from '../../shared/base/formatters.js';

/** The one that its sentences are in; undefined: the system's. */
export const windowLocale = shallowRef<Locale>();
