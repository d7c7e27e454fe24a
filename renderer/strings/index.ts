/** The window's words. One language so far; a translation is another file of the shape `Strings`, chosen here. */
import { en, type Strings } from './en.js';

export const strings: Strings = en;
