/** What is advised of cycles stands among a project’s events in English, too: each sentence of ../de-wizard.ts as a pattern. */
import { adviceWords, type AdviceWords } from '../../../shared/reports/cycle-advice.js';
import { adviceInGerman } from '../../../shared/words/de-outcome.js';
import type { Told } from '../../format/told.js';

const FIGURES = [0, 1, 2] as const;

function sentences(words: AdviceWords, gap: (at: number) => string): readonly string[] {
  const { blind, teacher, model, alone, few_passes } = words;
  const [first = '', second = '', third = ''] = FIGURES.map(gap);
  return [blind, teacher, model, alone, few_passes(first, second, third)];
}

const german = sentences(adviceInGerman, (at) => `{${String(at)}}`);
export const advice: Told = sentences(adviceWords, () => '{}').map((english, at) => [english, german[at] ?? english]);
