/** Commands for blind rating of a project's writing, and for its result. */
import { z } from 'zod';
import { path } from '../../../shared/config/commands.js';
import { parameter, whole } from '../../../shared/config/parameter.js';
import { hastyMessage, verdictMessage, type BoundaryFigures, type Comparison } from '../../../shared/judging.js';
import { ratingReportFormatNames } from '../../../shared/judging-report.js';
import { bytes } from '../../../shared/messages/message.js';
import { pairAgainst, ratingTasks } from '../../../shared/rating.js';
import { existingProjectProblems } from '../../jobs/problems.js';
import type { Results } from '../../jobs/types.js';
import { defineCommand, group } from '../command.js';
import { documentLanguage, hardware } from '../groups.js';
import { t } from '../language.js';
import type { Style } from '../style.js';
import { commandText, fixed, percent, table, WIDTH, wrap } from '../words.js';

export const rate = defineCommand({
  name: 'rate',
  groups: [
    group('rate', {
      project: path('folder', 'rate.project'),
      task: parameter(z.enum(ratingTasks).default('pair'), { option: 'rate.task' }),
      against: parameter(z.enum(pairAgainst).optional(), { option: 'rate.against' }),
      passages: parameter(whole(1, 500).default(20), { option: 'rate.passages' }),
      export: parameter(z.string().min(1).optional(), { option: 'rate.export', path: 'file' }),
      import: parameter(z.string().min(1).optional(), { option: 'rate.import', path: 'file' }),
      language: documentLanguage('rate.language'),
    }),
    hardware,
  ],
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
    const { exported, rater, added, changed } = results;
    if (typeof exported === 'string') return t('rate.exported', { file: exported });
    if (typeof rater === 'string') return t('rate.imported', { rater, added: Number(added), changed: Number(changed) });
    return results['task'] === 'pair' ? pairReport(results, style) : boundaryReport(results, style);
  },
});

function pairReport(results: Results, style: Style): string {
  const comparison = results['comparison'] as Comparison | null;
  const { first, second, next, project } = results;
  if (comparison === null || typeof first !== 'string' || typeof second !== 'string') return `\n${t('rate.no_pairs')}`;
  const names = { first, second: second === 'natural' ? t('rate.the_text') : second };
  const { wins, losses, ties, both_bad, share, interval } = comparison;
  const votes = [t('rate.votes'), ...[wins, losses, ties, both_bad].map(String)];
  const [low, high] = [percent(interval.low), percent(interval.high)];
  const hasty = hastyMessage(comparison);
  const rate = share === null ? '' : t('rate.share', { share: percent(share), name: first, low, high });
  return [
    '',
    style.bold(t('rate.preference')),
    ...table(t('rate.pair_heading', names), [votes]),
    '',
    wrap(`${rate} ${t(verdictMessage(comparison, names))} ${hasty ? t(hasty) : ''}`.trim(), WIDTH),
    ...(typeof next === 'string'
      ? [t(`rate.next.${next as 'waits'}`, { command: commandText('cycle', String(project)) })]
      : []),
  ].join('\n');
}

function boundaryReport(results: Results, style: Style): string {
  const rows = (results['judges'] as readonly BoundaryFigures[]).map(
    ({ rater, answers, error_words, exact, exact_by_chance, bias }) => [
      ...[rater, String(answers), fixed(error_words, 1), percent(exact.share)],
      ...[percent(exact_by_chance), t('rate.boundary_bias', { isLate: bias > 0 })],
    ],
  );
  const lines = rows.length === 0 ? [t('rate.nothing')] : table(t('rate.boundary_heading'), rows);
  return ['', style.bold(t('rate.boundary')), ...lines].join('\n');
}

export const ratingReport = defineCommand({
  name: 'rating_report',
  groups: [
    group('report', {
      project: path('folder', 'rating_report.project'),
      format: parameter(z.enum(ratingReportFormatNames).default('html'), { option: 'rating_report.format' }),
      file: parameter(z.string().min(1).nullable().default(null), { option: 'rating_report.file', path: 'file' }),
      language: documentLanguage('rating_report.language'),
    }),
  ],
  positional: 'project',
  examples: ['rating_report my-book', 'rating_report my-book --format csv --file votes.csv'],
  problems: ({ project }) => existingProjectProblems('project', project),
  job: async () => (await import('../../jobs/rating/report.js')).writeRatingReport,
  report: ({ file, bytes: size, judgements }, style) =>
    style.label(
      t('reports.votes_written', { file: String(file), size: bytes(Number(size)), votes: Number(judgements) }),
    ),
});
