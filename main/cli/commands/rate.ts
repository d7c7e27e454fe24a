/** `verisim rate`: a person rates the writing of a project's generators, without knowing whose a passage is. */
import { commandSpecs, rateCommandShape } from '../../../shared/config/commands.js';
import type { RatedSource, RatingOpinion, RatingReport } from '../../../shared/contract/ratings.js';
import { rateJob } from '../../jobs/rate.js';
import { defineCommand } from '../command.js';
import { table, wrap } from '../words.js';

const WIDTH = 92;

export const command = defineCommand(rateCommandShape, {
  spec: commandSpecs.rate,
  answers: true,
  run: rateJob,
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

/** The seeds' rule: when people no longer find the writing better, stop. */
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
      return `You take ${newest} for natural less often than ${before}, by more than chance explains: go on from ${before}, and stop here.`;
    case 'no_clear_change':
      return `You do not take ${newest} for natural more often than ${before} by more than chance explains: by this measure the writing is no longer improving, and another cycle is not worth it. More ratings may show a smaller difference.`;
  }
}
