/** `verisim rate`: a person rates the writing of a project's generators, blind. */
import { z } from 'zod';
import { program, shellWord } from '../../../shared/config/command-line.js';
import { path } from '../../../shared/config/commands.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import { verdictMessage, type BoundaryFigures, type Comparison } from '../../../shared/judging.js';
import { counted } from '../../../shared/base/numbers.js';
import { pairAgainst, ratingTasks } from '../../../shared/rating.js';
import { typed } from '../../../shared/sentence.js';
import type { Results } from '../../jobs/types.js';
import { defineCommand, group } from '../command.js';
import { documentLanguage, hardware } from '../groups.js';
import type { Style } from '../style.js';
import { fixed, percent, table, WIDTH, wrap } from '../words.js';

const own = {
  project: path('folder', 'rate.project'),
  task: parameter(z.enum(ratingTasks).default('pair'), { option: 'rate.task' }),
  against: parameter(z.enum(pairAgainst).optional(), { option: 'rate.against' }),
  passages: parameter(whole(1, 500).default(20), { option: 'rate.passages' }),
  export: parameter(z.string().min(1).optional(), { option: 'rate.export', path: 'file' }),
  import: parameter(z.string().min(1).optional(), { option: 'rate.import', path: 'file' }),
  language: documentLanguage('rate.language'),
};

export const command = defineCommand({
  name: 'rate',
  groups: [group('rate', own), hardware],
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
    if (typeof results['exported'] === 'string') return `Written: ${results['exported']}. Send it to your raters.\n`;
    if (typeof results['rater'] === 'string') {
      const { rater, added, changed } = results;
      return `${rater}: ${counted(Number(added), 'new answer')}, ${String(changed)} changed.\n`;
    }
    return results['task'] === 'pair' ? pairWords(results, style) : boundaryWords(results, style);
  },
});

function pairWords(results: Results, style: Style): string {
  const comparison = results['comparison'] as Comparison | null;
  const { first, second } = results;
  if (comparison === null || typeof first !== 'string' || typeof second !== 'string') return '\nNo pairs.\n';
  const names = { first, second: second === 'natural' ? 'the text' : second };
  const { wins, losses, ties, both_bad, share, interval } = comparison;
  const rows = [
    ['preferred', names.first, names.second, 'tie', 'both bad'],
    ['votes', String(wins), String(losses), String(ties), String(both_bad)],
  ];
  const range = `95% CI ${percent(interval.low)} to ${percent(interval.high)}, valid after every vote`;
  const rate = share === null ? '' : `${percent(share)} of untied votes prefer ${names.first} (${range}). `;
  const verdict = typed(verdictMessage(comparison, names));
  return `\n${style.bold('Preference')}\n${table(rows)}\n\n${wrap(`${rate}${verdict}`, WIDTH)}\n${nextWords(results)}`;
}

/** Words what a project with `stop_when: people` does next. */
function nextWords({ project, next }: Results): string {
  switch (next) {
    case 'waits':
      return 'The project waits for more votes: rate again, with more --passages if none are left.\n';
    case 'another_cycle':
      return `The project trains another cycle: ${program} cycle ${shellWord(String(project))}\n`;
    case 'ended':
      return 'The project’s cycles are over.\n';
    default:
      return '';
  }
}

function boundaryWords(results: Results, style: Style): string {
  const rows = (results['judges'] as readonly BoundaryFigures[]).map(
    ({ rater, answers, error_words, exact, exact_by_chance, bias }) => [
      ...[rater, String(answers), fixed(error_words, 1), exact.share === null ? '-' : percent(exact.share)],
      ...[percent(exact_by_chance), bias > 0 ? 'late' : 'early'],
    ],
  );
  const heading = ['rater', 'passages', 'words off', 'exact', 'by chance', 'on average'];
  return `\n${style.bold('Where the writing stops being natural')}\n${rows.length === 0 ? 'Nothing has been rated yet.' : table([heading, ...rows])}\n`;
}
