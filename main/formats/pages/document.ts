/** Formats messages for files that are read elsewhere: settings by their labels, numbers as the language writes them. */
import type { Language } from '../../../shared/language.js';
import { createFormat, type Format } from '../../../shared/messages/formatter.js';
import { labelSurface } from '../../../shared/messages/surfaces.js';

export const documentFormat = (language: Language): Format =>
  createFormat(labelSurface('document', language, language));
