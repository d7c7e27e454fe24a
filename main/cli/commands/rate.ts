/** `verisim rate`: a person rates the writing of a project's generators, without knowing whose a passage is. */
import { path } from '../../../shared/config/commands.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import type { RatedSource, RatingOpinion, RatingReport } from '../../../shared/contract/ratings.js';
import { defineCommand, group } from '../command.js';
import { hardware } from '../groups.js';
import { table, wrap } from '../words.js';

const WIDTH = 92;

const own = {
  project: path('folder', 'Project folder', 'The project whose writing is rated.'),
  passages: parameter(whole(1, 500).default(20), {
    label: 'Passages',
    help: 'How many passages of the text and of each generator there are to rate.',
  }),
};

export const command = defineCommand({
  name: 'rate',
  summary: 'Rate a project’s writing yourself, blind, and see whether it still improves.',
  about:
    'Shows passages of the text and of each generator in turn, without saying whose they are, and asks which is which. Tells at the end how often each was taken for natural. Ratings are kept with the project; run it again for more, or after another cycle.',
  groups: [group('Rate', own), hardware],
  positional: 'project',
  examples: ['rate my-book', 'rate my-book --passages 50'],
  answers: true,
  job: async () => (await import('../../jobs/rating/rate.js')).rateJob,
  report(results, style) {
    const sources = results['sources'] as readonly RatedSource[];
    const opinion = results['opinion'] as RatingOpinion;
    const heading = ['written by', 'rated', 'taken for natural', '95 % interval'];
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
  },
});

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** The reward model's mean for the same passages, with its interval. */
function opinionOf({ sources }: RatingOpinion, source: string): string {
  const found = sources.find((row) => row.source === source);
  if (!found || found.natural === null) return '-';
  const { natural, interval } = found;
  return interval
    ? `${natural.toFixed(2)} (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`
    : natural.toFixed(2);
}

/** The specification's rule: when people no longer find the writing better, stop. */
function meaning(verdict: RatingReport['verdict'], sources: readonly RatedSource[]): string {
  const [before, newest] = sources.slice(-2).map(({ source }) => source);
  switch (verdict) {
    case 'too_few':
      return sources.length > 2
        ? `Rate at least ten passages of ${before} and of ${newest} to see whether the last cycle made the writing better.`
        : 'Whether a cycle makes the writing better can be told when one is finished.';
    case 'better':
      return `You take ${newest} for natural more often than ${before}, by more than chance explains: the last cycle made the writing better.`;
    case 'worse':
      return `You take ${newest} for natural less often than ${before}, by more than chance explains: continue from ${before}, and stop here.`;
    case 'no_clear_change':
      return `You do not take ${newest} for natural more often than ${before} by more than chance explains: by this measure the writing is no longer improving, and another cycle is not worth it. More ratings may show a smaller difference.`;
  }
}
