/** Words of the window that are not in the catalogues yet: those that reports share, and the blind test. */
import type { Sentence } from '../../shared/sentence.js';
import type { Language } from '../../shared/language.js';
import { tellIn } from '../format/told.js';
import { told } from './en-told.js';

export const en = {
  tag: 'en' as Language,
  reworded: tellIn(told) as (sentence: Sentence) => Sentence,
};

export type Strings = typeof en;
