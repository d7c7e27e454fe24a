/** What is advised of cycles stands among a project’s events in English, too: each sentence of ../de-wizard.ts as a pattern. */
import { adviceWords, type AdviceWords } from '../../../shared/cycle-advice.js';
import { adviceInGerman } from '../../../shared/words/de-outcome.js';
import type { Told } from '../../format/told.js';

const FIGURES = [0, 1, 2] as const;

function sentences(words: AdviceWords, gap: (at: number) => string): readonly string[] {
  const { model, blind, unlike, teacher, few_passes, cycles, not_here } = words;
  const [first = '', second = '', third = ''] = FIGURES.map(gap);
  return [
    ...[model, blind, unlike, teacher(first), few_passes(first, second, third)],
    ...[cycles(first, second), not_here(first, second)],
  ];
}

const german = sentences(adviceInGerman, (at) => `{${String(at)}}`);
export const advice: Told = sentences(adviceWords, () => '{}').map((english, at) => [english, german[at] ?? english]);
