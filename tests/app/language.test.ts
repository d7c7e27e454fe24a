/** The main process's words in every language: the same groups with the same words, and the one that is spoken. */
import { expect, it } from 'vitest';
import { appWords, speak } from '../../main/app/language.js';
import * as german from '../../main/app/words-de.js';
import * as english from '../../main/app/words.js';
import { shapeOf } from '../support/words.js';

it('German has every word of English', () => {
  expect(shapeOf(german)).toMatchObject(shapeOf(english));
});

it('speaks what is chosen, and what the system speaks where nothing is', () => {
  speak('system', ['de-DE']);
  expect(appWords().quitWords.message('Moby-Dick')).toBe('Moby-Dick wird gerade trainiert.');
  speak('en', ['de-DE']);
  expect(appWords().quitWords.message('Moby-Dick')).toBe('Moby-Dick is being trained.');
});
