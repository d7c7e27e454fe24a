/**
 * What the window and the files that are given away both say, in every language; the window takes each from its own file. A
 * word that a language lacks is a type error; of what is declared, a test tells.
 */
import { controlWords, type ControlWords } from '../reports/cycle-control.js';
import type { Language } from '../language.js';
import { artefactWords, type ArtefactWords } from './artefacts.js';
import { artefactsInGerman } from './de-artefacts.js';
import { differencesInGerman } from './de-differences.js';
import { controlInGerman, outcomeInGerman } from './de-outcome.js';
import { differenceWords, type DifferenceWords } from './differences.js';
import { outcomeWords, type OutcomeWords } from './outcome.js';

interface SharedWords {
  readonly artefacts: ArtefactWords;
  readonly outcome: OutcomeWords;
  readonly control: ControlWords;
  readonly differences: DifferenceWords;
  quote(what: string): string;
}

export const sharedWords: Readonly<Record<Language, SharedWords>> = {
  en: {
    artefacts: artefactWords,
    outcome: outcomeWords,
    control: controlWords,
    differences: differenceWords,
    quote: (what) => `“${what}”`,
  },
  de: {
    artefacts: artefactsInGerman,
    outcome: outcomeInGerman,
    control: controlInGerman,
    differences: differencesInGerman,
    quote: (what) => `„${what}“`,
  },
};
