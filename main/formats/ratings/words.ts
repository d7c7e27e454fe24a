/** Words of the report page in English; the sentences it shares with the window are in shared/words. */
import type { Language } from '../../../shared/language.js';
import { german } from './words-de.js';

const english = {
  title: (project: string) => `Blind test of ${project}`,
  nothing: 'Nothing has been rated yet.',
  natural: 'natural text',
  range: (low: string, high: string) => `${low} to ${high}`,
  /** "62% (31 of 50; 48% to 74%)" */
  share: (share: string, yes: string, of: string, range: string) => `${share} (${yes} of ${of}; ${range})`,
  against: (first: string, second: string) => `${first} against ${second}`,
  decidedAt: (evidence: string, vote: string) => `${evidence}; decided at vote ${vote}`,
  ignored: (answers: string) =>
    `Answers to questions of an earlier version (natural or not, known answers) are not counted: ${answers}.`,
  /** All raters together. */
  people: 'Everyone',
  comparisons: {
    title: 'Which version is better',
    chart: 'Share of untied votes for the first',
    chartHelp: 'With 95% intervals that are valid after every vote. The dashed line is one half: equally good.',
    help: 'Evidence of 20 decides: two equal versions are ever called different with a probability of at most 5%.',
    columns: ['Compared', 'For each', 'Ties, both bad', 'Win rate', 'Evidence'],
  },
  writing: {
    title: 'Reward and copying',
    help: 'Reward: by the reward model of the version’s own cycle. Copied: share of the writing that appears in the training text; readers rarely notice it. Varied: distinct word pairs.',
    columns: ['Version', 'Reward', 'Copied', 'Varied'],
  },
  boundary: {
    title: 'Where a passage stops being natural',
    help: 'Error: mean distance from the true word, as a share of the passage. An answer is exact if it is the very word.',
    columns: ['Rater', 'Answers', 'Error', 'Late by', 'Exact', 'Exact by chance', 'Same again'],
  },
  reliability: {
    title: 'Reliability of the votes',
    counted: (repeats: string, again: string) =>
      `Repeats: ${repeats}; further votes on a pair: ${again}. They do not count in comparisons.`,
    help: 'Self-consistency: pairs repeated with swapped sides that got the same answer.',
    columns: ['Rater', 'Votes', 'Seconds per vote', 'Self-consistency', 'Chose the first'],
  },
};
export type RatingReportWords = typeof english;

export const ratingReportWords: Readonly<Record<Language, RatingReportWords>> = { en: english, de: german };
