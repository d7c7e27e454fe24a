/** The language of words and the locale of numbers. */
import { expect, it } from 'vitest';
import { languageOf, localeOf } from '../../../shared/messages/catalogue.js';
import '../../support/messages.js';

it('takes the one that was chosen, else the first that the system prefers, else English', () => {
  expect(languageOf('de', ['en-US'])).toBe('de');
  expect(languageOf('en', ['de-DE'])).toBe('en');
  expect(languageOf('system', ['fr-FR', 'de-AT', 'en-US'])).toBe('de');
  expect(languageOf('system', ['de'])).toBe('de');
  expect(languageOf('system', ['fr-FR'])).toBe('en');
  expect(languageOf('system', [])).toBe('en');
});

it('writes numbers as chosen, else as the system where it speaks the same language, else as the words', () => {
  expect(localeOf('fr-FR', 'de', 'en-US')).toBe('fr-FR');
  expect(localeOf(null, 'de', 'de-AT')).toBeUndefined();
  expect(localeOf(null, 'de', 'en-US')).toBe('de');
  expect(localeOf(null, 'en', 'de-DE')).toBe('en');
});
