/** What is advised of cycles stands among a project’s events in English, too: each sentence of ../de-wizard.ts as a pattern. */
import { adviceWords, type AdviceWords } from '../../../shared/cycle-advice.js';
import { adviceInGerman } from '../../../shared/words/de-outcome.js';
import type { Told } from '../../format/told.js';

const FIGURES = [0, 1, 2, 3] as const;

function sentences(words: AdviceWords, gap: (at: number) => string): readonly string[] {
  const { model, larger, blind, unlike, teacher, few_passes, few_passes_again, cycles, not_here } = words;
  const [first = '', second = '', third = '', fourth = ''] = FIGURES.map(gap);
  return [
    ...[model, larger, blind, unlike, teacher(first), few_passes(first, second, third)],
    few_passes_again(first, second, third, fourth),
    ...[cycles(first, second), not_here(first, second)],
  ];
}

const german = sentences(adviceInGerman, (at) => `{${String(at)}}`);
export const advice: Told = sentences(adviceWords, () => '{}').map((english, at) => [english, german[at] ?? english]);
