/** Every language has the same words: those that are missing or left over, and functions that want other things. */
import { describe, expect, it } from 'vitest';
import { de } from '../../renderer/strings/de.js';
import { adviceSentence } from '../../shared/reports/cycle-advice.js';
import { en } from '../../renderer/strings/en.js';
import type { Format } from '../../shared/messages/formatter.js';
import { inEnglish, inGerman } from '../support/messages.js';
import { sentencesOf, shapeOf } from '../support/words.js';

describe('the window’s words in German', () => {
  it('are those of English and no other', () => {
    expect(shapeOf(de)).toEqual(shapeOf(en));
    expect(Object.keys(shapeOf(en)).length).toBeGreaterThan(50);
  });

  it('are empty where those of English are, and end as they do', () => {
    const ending = (text: string) => /[.?…]?$/.exec(text)?.[0];
    const english = new Map(sentencesOf(en));
    const odd = sentencesOf(de).filter(
      ([path, text]) =>
        (text.trim() === '') !== (english.get(path)?.trim() === '') || ending(text) !== ending(english.get(path) ?? ''),
    );
    expect(odd).toEqual([]);
  });

  it('write large numbers in groups, but for years', () => {
    const all = [...sentencesOf(de)];
    expect(all.filter(([, text]) => /(?<![\d.,:])(?!(?:19|20)\d\d\b)\d{4,}(?!\d)/.test(text))).toEqual([]);
  });

  it('have German quotation marks', () => {
    const all = [...sentencesOf(de)];
    expect(all.filter(([, text]) => /["”]/.test(text) || /(^|[\s(])“/.test(text))).toEqual([]);
  });
});

describe('sentences that something stands in', () => {
  it('speak of one vote as of one', () => {
    const left = (format: Format) => [format('rating.left', { votes: 1 }), format('rating.left', { votes: 3 })];
    expect([...left(inGerman), ...left(inEnglish)]).toEqual([
      'Etwa 1 weitere Stimme würde es entscheiden.',
      'Etwa 3 weitere Stimmen würden es entscheiden.',
      'About 1 more vote would decide it.',
      'About 3 more votes would decide it.',
    ]);
  });

  it('say in German what a project advises and how much a reward model sees', () => {
    const given = { advice: 'train_first', because: 'few_passes', passes: 0.9, max_iters: 1300, enough: 9 } as const;
    expect(de.reworded(adviceSentence(given))).toMatch(
      /^Zuerst weitertrainieren: Das Basistraining geht 0,9-mal .* 1\.300 Schritte gehen 9-mal durch ihn\.$/,
    );
    expect(
      de.reworded(
        'The reward model can tell natural from generated text well (R² is not defined here; 0 is guessing, 1 is perfect).',
      ),
    ).toBe(
      'Das Belohnungsmodell kann Natürliches gut von Geschriebenem unterscheiden (R² ist hier nicht definiert; 0 heißt raten, 1 ist vollkommen).',
    );
  });
});
