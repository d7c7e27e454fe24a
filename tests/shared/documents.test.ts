/**
 * What is written out for others (reports, rating tasks, READMEs) says each sentence in every language: their words are whole, and
 * no other sentence stands where they are made (the source is read by tests/renderer/told.test.ts).
 */
import { describe, expect, it } from 'vitest';
import { readmeWords } from '../../main/jobs/export/readme.js';
import { scriptWords } from '../../main/jobs/export/trl/scripts.js';
import { readmeIn } from '../../main/jobs/export/trl/readme.js';
import { taskScript } from '../../main/jobs/rating/task-script.js';
import { sentencesIn } from '../support/spoken.js';
import { filledSentencesOf, shapeOf } from '../support/words.js';

const documents = {
  ...{ readme: readmeWords },
  scripts: scriptWords,
};

describe.each(Object.entries(documents))('the words of %s', (name, { en, de }) => {
  it('are the same in German, and are German', () => {
    expect(shapeOf(de)).toEqual(shapeOf(en));
    const english = new Map(filledSentencesOf(en));
    const german = filledSentencesOf(de);
    // A word may be that of both languages (Version, KL), a sentence may not.
    const same = german.filter(([path, text]) => /\p{L}+ \p{L}+/u.test(text) && english.get(path) === text);
    expect(same).toEqual([]);
    expect(german.length).toBeGreaterThan(['scripts', 'server'].includes(name) ? 1 : 10);
  });

  it('end as those of English, in German quotation marks', () => {
    const english = new Map(filledSentencesOf(en));
    const ending = (text: string) => /[.?…:;]?$/.exec(text)?.[0];
    const german = filledSentencesOf(de);
    expect(german.filter(([path, text]) => ending(text) !== ending(english.get(path) ?? ''))).toEqual([]);
    expect(german.filter(([, text]) => /["”]/.test(text) || /(^|[\s(])“/.test(text))).toEqual([]);
  });
});

it('the script of a rating task says nothing of its own', () => {
  expect(sentencesIn('task-script.js', taskScript).map(({ text }) => text)).toEqual([]);
});

it('a README for training elsewhere has the same commands in every language, and words of its own', () => {
  const [english, german] = (['en', 'de'] as const).map((language) => readmeIn(language));
  const commands = (text = '') => text.split('\n').filter((line) => /^ {4}/.test(line)).map((line) => line.slice(0, 30)); // oxfmt-ignore
  expect(commands(german)).toEqual(commands(english));
  const prose = (text = '') => text.split('\n').filter((line) => /^\S.* \S/.test(line));
  expect(prose(german).filter((line) => prose(english).includes(line))).toEqual([]);
});
