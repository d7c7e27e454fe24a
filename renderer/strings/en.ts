/** Words of the window that are not in the catalogues yet: those that reports share, and the blind test. */
import type { Sentence } from '../../shared/sentence.js';
import type { Language } from '../../shared/language.js';
import { adviceWords } from '../../shared/reports/cycle-advice.js';
import { sharedWords } from '../../shared/words/index.js';
import { tellIn } from '../format/told.js';
import { told } from './en-told.js';

const { artefacts, outcome, control, differences, quote } = sharedWords.en;

export const en = {
  tag: 'en' as Language,
  reworded: tellIn(told) as (sentence: Sentence) => Sentence,
  project: { artefacts, outcome: { wording: outcome, control }, compare: { differences } },
  wizard: { review: { advice: adviceWords } },
  app: { quote },
};

export type Strings = typeof en;
