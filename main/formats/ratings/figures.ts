/** How the report of ratings writes figures, in its language. */
import { numberFormatter } from '../../../shared/base/formatters.js';
import type { Preference, Share } from '../../../shared/judging.js';
import type { Language } from '../../../shared/language.js';
import { artefactNames, capitalize } from '../../../shared/words/artefacts.js';
import { sharedWords } from '../../../shared/words/index.js';
import { formatCount, formatFixed, formatShare, NOTHING } from '../../../shared/base/numbers.js';
import { ratingReportWords } from './words.js';

export function figuresIn(language: Language) {
  const words = ratingReportWords[language];
  const names = artefactNames(sharedWords[language], language);
  const isNatural = (version: string) => version === 'natural';
  const count = (value: number) => formatCount(value, language);
  const percent = (value: number, digits = 0) => formatShare(value, language, digits);
  const fixed = (digits: number) => (value: number) => formatFixed(value, digits, language);
  const range = (found: { readonly low: number; readonly high: number } | null, write = (of: number) => percent(of)) =>
    found === null ? NOTHING : words.range(write(found.low), write(found.high));
  return {
    words,
    count,
    percent,
    fixed,
    range,
    points: (value: number) =>
      numberFormatter(language, { maximumFractionDigits: 0, signDisplay: 'negative' }).format(value),
    orDash: (value: number | null, write: (value: number) => string) => (value === null ? NOTHING : write(value)),
    preference: (found: Preference | null) =>
      found === null ? NOTHING : `${percent(found.estimate)} (${range(found)})`,
    share: ({ yes, of, share, interval }: Share) =>
      share === null ? NOTHING : words.share(percent(share), count(yes), count(of), range(interval)),
    /** A version, or who judges, as it is called in a table; after others; in a sentence. */
    title: (name: string) => (isNatural(name) ? capitalize(words.natural, language) : names.title(name)),
    following: (name: string) => (isNatural(name) ? words.natural : names.words(name)),
    quoted: (name: string) => (isNatural(name) ? words.natural : names.quoted(name)),
  };
}
export type Figures = ReturnType<typeof figuresIn>;
