/** `verisim rate`: a person rates the writing of a project's generators, without knowing whose a passage is. */
import { z } from 'zod';
import { program, shellWord } from '../../../shared/config/command-line.js';
import { path } from '../../../shared/config/commands.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import type { RatedSource, RatingOpinion, RatingReport } from '../../../shared/contract/ratings.js';
import { verdictSentence, type BoundaryJudge, type Comparison } from '../../../shared/judging.js';
import { counted } from '../../../shared/base/numbers.js';
import { pairAgainst, ratingTasks, type RatingTask } from '../../../shared/rating.js';
import type { Results } from '../../jobs/types.js';
import { defineCommand, group } from '../command.js';
import { documentLanguage, hardware } from '../groups.js';
import type { Style } from '../style.js';
import { fixed, percent, table, WIDTH, wrap } from '../words.js';

const own = {
  project: path('folder', 'Project folder', 'The project whose writing is rated.'),
  task: parameter(z.enum(ratingTasks).default('pair'), {
    label: 'Task',
    help: 'pair: which of two continuations of the same text is better. boundary: where a passage stops being natural. single: whether a passage is natural.',
  }),
  against: parameter(z.enum(pairAgainst).optional(), {
    label: 'Compare with',
    help: 'In pairs, what the newest model is compared with: the version before it, the base model, or the text itself; unset means the version before it, where there is one.',
  }),
  passages: parameter(whole(1, 500).default(20), {
    label: 'Passages',
    help: 'How many passages of each model there are to rate.',
  }),
  export: parameter(z.string().min(1).optional(), {
    label: 'Export a rating task',
    help: 'Writes the questions to this HTML file for somebody else, and asks nothing. It opens in any browser, needs no network, and does not hold whose the passages are.',
    path: 'file',
  }),
  import: parameter(z.string().min(1).optional(), {
    label: 'Import answers',
    help: 'Adds the answers of a file that the exported page has written, and asks nothing.',
    path: 'file',
  }),
  language: documentLanguage('The language of the exported page.'),
};

export const command = defineCommand({
  name: 'rate',
  summary: 'Rate a project’s writing yourself, blind, and see whether it still improves.',
  about:
    'Shows passages of the text and of the models, without saying whose they are, and asks about them: the queue of the window. Tells at the end what the answers come to. Every answer is saved at once and can be taken back; run it again to continue, or after another cycle.',
  groups: [group('Rate', own), hardware],
  positional: 'project',
  examples: [
    'rate my-book',
    'rate my-book --task boundary --passages 50',
    'rate my-book --against text --export for-ana.html',
    'rate my-book --import answers-ana.json',
  ],
  answers: true,
  job: async () => (await import('../../jobs/rating/rate.js')).rateJob,
  report(results, style) {
    if (typeof results['exported'] === 'string')
      return `Written: ${results['exported']}. Send it to whoever is to rate.\n`;
    if (typeof results['rater'] === 'string') {
      const { rater, added, changed } = results;
      return `${rater}: ${counted(Number(added), 'new answer')}, ${String(changed)} changed.\n`;
    }
    switch (results['task'] as RatingTask) {
      case 'single':
        return singleWords(results, style);
      case 'pair':
        return pairWords(results, style);
      case 'boundary':
        return boundaryWords(results, style);
    }
  },
});

function singleWords(results: Results, style: Style): string {
  const sources = results['sources'] as readonly RatedSource[];
  const opinion = results['opinion'] as RatingOpinion;
  const heading = ['written by', 'rated', 'taken for natural', '95% interval'];
  if (opinion.model !== null) heading.push(`P(natural) by ${opinion.model}`);
  const rows = sources.map(({ source, rated, taken_for_natural: taken, interval }) => [
    source === 'natural' ? 'the text' : source,
    String(rated),
    rated === 0 ? '-' : percent(taken / rated),
    interval ? `${percent(interval.low)} to ${percent(interval.high)}` : '-',
    ...(opinion.model === null ? [] : [opinionOf(opinion, source)]),
  ]);
  const verdict = results['verdict'] as RatingReport['verdict'];
  return `\n${style.bold('What you took for natural')}\n${table([heading, ...rows])}\n\n${wrap(meaning(verdict, sources), WIDTH)}\n`;
}

/** The reward model's mean for the same passages, with its interval. */
function opinionOf({ sources }: RatingOpinion, source: string): string {
  const found = sources.find((row) => row.source === source);
  if (!found || found.natural === null) return '-';
  const { natural, interval } = found;
  return interval
    ? `${percent(natural, 1)} (${percent(interval.low, 1)} to ${percent(interval.high, 1)})`
    : percent(natural, 1);
}

/** The specification's rule: when people no longer find the writing better, stop. */
function meaning(verdict: RatingReport['verdict'], sources: readonly RatedSource[]): string {
  const [before, newest] = sources.slice(-2).map(({ source }) => source);
  switch (verdict) {
    case 'too_few':
      return sources.length > 2
        ? `Rate at least ten passages of ${before} and of ${newest} to see whether the last cycle made the writing better.`
        : 'Whether a cycle makes the writing better can be told when one is finished.';
    case 'all_generated':
      return `You took nothing of ${before} and ${newest} for natural: this says nothing about which is better. Pairs, side by side, tell them apart.`;
    case 'all_natural':
      return `You took everything of ${before} and ${newest} for natural: this says nothing about which is better. Pairs, side by side, tell them apart.`;
    case 'better':
      return `You take ${newest} for natural more often than ${before}, by more than chance explains: the last cycle made the writing better.`;
    case 'worse':
      return `You take ${newest} for natural less often than ${before}, by more than chance explains: continue from ${before}, and stop here.`;
    case 'no_clear_change':
      return `No measurable difference between ${before} and ${newest} yet. More ratings may show a smaller one.`;
  }
}

function pairWords(results: Results, style: Style): string {
  const comparison = results['comparison'] as Comparison | null;
  const { first, second } = results;
  if (comparison === null || typeof first !== 'string' || typeof second !== 'string') return '\nNo pairs.\n';
  const names = { first, second: second === 'natural' ? 'the text' : second };
  const { wins, losses, ties, both_bad, share, interval } = comparison;
  const rows = [
    ['preferred', names.first, names.second, 'neither', 'both bad'],
    ['votes', String(wins), String(losses), String(ties), String(both_bad)],
  ];
  const range = `95% interval ${percent(interval.low)} to ${percent(interval.high)}, true after every vote`;
  const of =
    share === null ? '' : `Of the votes for one of the two, ${percent(share)} are for ${names.first} (${range}). `;
  const verdict = verdictSentence(comparison, names);
  return `\n${style.bold('What you preferred')}\n${table(rows)}\n\n${wrap(`${of}${verdict}`, WIDTH)}\n${nextWords(results)}`;
}

/** What a project that goes by people's votes does now. */
function nextWords({ project, next }: Results): string {
  switch (next) {
    case 'waits':
      return 'The project waits for more votes: rate again, with more --passages where none are left.\n';
    case 'another_cycle':
      return `The project is to have another cycle: ${program} cycle ${shellWord(String(project))}\n`;
    case 'ended':
      return 'The project’s cycles are over.\n';
    default:
      return '';
  }
}

function boundaryWords(results: Results, style: Style): string {
  const judges = results['judges'] as readonly BoundaryJudge[];
  const rows = judges.map(({ judge, answers, error_words, exact, bias }) => [
    judge,
    String(answers),
    fixed(error_words, 1),
    exact.share === null ? '-' : percent(exact.share),
    bias > 0 ? 'too late' : 'too early',
  ]);
  const heading = ['judge', 'passages', 'words off', 'exact', 'on the whole'];
  return `\n${style.bold('Where the writing stops being natural')}\n${rows.length === 0 ? 'Nothing is rated yet.' : table([heading, ...rows])}\n`;
}
