/** Formats plain-text replies of the server in the browser's preferred language: the window is not loaded yet. */
import type { IncomingMessage } from 'node:http';
import { languageOf } from '../../shared/messages/catalogue.js';
import { createFormat, type Format } from '../../shared/messages/formatter.js';
import { labelSurface } from '../../shared/messages/surfaces.js';

/** Lists languages as browsers send them, preferred first: de-DE,de;q=0.9,en;q=0.8. */
const preferredLanguages = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['accept-language'] ?? '').split(',').map((one) => (one.split(';')[0] ?? '').trim());

export function formatFor(request: IncomingMessage): Format {
  const language = languageOf('system', preferredLanguages(request));
  return createFormat(labelSurface('document', language, language));
}
