/** Sentences with parameters, in each language. */
import { describe, expect, it } from 'vitest';
import { de } from '../../renderer/strings/de.js';
import type { Format } from '../../shared/messages/formatter.js';
import { inEnglish, inGerman } from '../support/messages.js';

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

  it('say in German how much a reward model sees', () => {
    expect(
      de.reworded(
        'The reward model can tell natural from generated text well (R² is not defined here; 0 is guessing, 1 is perfect).',
      ),
    ).toBe(
      'Das Belohnungsmodell kann Natürliches gut von Geschriebenem unterscheiden (R² ist hier nicht definiert; 0 heißt raten, 1 ist vollkommen).',
    );
  });
});
