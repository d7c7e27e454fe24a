/** Documents for others take their sentences from the catalogue. */
import { expect, it } from 'vitest';
import { documentFormat } from '../../main/formats/pages/document.js';
import { taskScript } from '../../main/jobs/rating/task-script.js';
import '../support/messages.js';
import { sentencesIn } from '../support/spoken.js';

it('the script of a rating task says nothing of its own', () => {
  expect(sentencesIn('task-script.js', taskScript).map(({ text }) => text)).toEqual([]);
});

it('a README for training elsewhere has the same commands in every language, and words of its own', () => {
  const [english, german] = (['en', 'de'] as const).map((language) => documentFormat(language)('exported.trl'));
  const commands = (text = '') => text.split('\n').filter((line) => /^ {4}/.test(line)).map((line) => line.slice(0, 30)); // oxfmt-ignore
  expect(commands(german)).toEqual(commands(english));
  const prose = (text = '') => text.split('\n').filter((line) => /^\S.* \S/.test(line));
  expect(prose(german).filter((line) => prose(english).includes(line))).toEqual([]);
});
