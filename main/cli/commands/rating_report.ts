/** `verisim rating_report`: writes the result of people's votes on a project to a file. */
import { inWords } from '../../storage/disk/disk.js';
import { z } from 'zod';
import { path } from '../../../shared/config/commands.js';
import { parameter } from '../../../shared/config/parameter.js';
import { ratingReportFormatNames } from '../../../shared/judging-report.js';
import { existingProjectProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { documentLanguage } from '../groups.js';
import { grouped } from '../words.js';

const own = {
  project: path('folder', 'rating_report.project'),
  format: parameter(z.enum(ratingReportFormatNames).default('html'), { option: 'rating_report.format' }),
  file: parameter(z.string().min(1).nullable().default(null), { option: 'rating_report.file', path: 'file' }),
  language: documentLanguage('rating_report.language'),
};

export const command = defineCommand({
  name: 'rating_report',
  groups: [group('report', own)],
  positional: 'project',
  examples: ['rating_report my-book', 'rating_report my-book --format csv --file votes.csv'],
  problems: ({ project }) => existingProjectProblems('project', project),
  job: async () => (await import('../../jobs/rating/report.js')).writeRatingReport,
  report: ({ file, bytes, judgements }, style) =>
    `${style.bold('Written:')} ${String(file)} (${inWords(Number(bytes))}, ${grouped(Number(judgements))} votes)\n`,
});
