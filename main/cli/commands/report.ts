/** `verisim report`: what projects and runs came to, as a file to give away. */
import { t } from '../language.js';
import { inWords } from '../../storage/disk/disk.js';
import { z } from 'zod';
import { parameter } from '../../../shared/config/parameter.js';
import { runReportFormatNames } from '../../../shared/reports/run-report.js';
import { defineCommand, group } from '../command.js';
import { documentLanguage } from '../groups.js';

const own = {
  projects: parameter(z.array(z.string().min(1)).min(1), { option: 'report.projects', path: 'folder' }),
  format: parameter(z.enum([...runReportFormatNames, 'tensorboard']).default('html'), { option: 'report.format' }),
  file: parameter(z.string().min(1).nullable().default(null), { option: 'report.file', path: 'file' }),
  language: documentLanguage('report.language'),
};

export const command = defineCommand({
  name: 'report',
  groups: [group('report_of_runs', own)],
  positional: 'projects',
  examples: ['report my-book', 'report my-book my-book-wider --file both.html', 'report runs/a --format csv'],
  job: async () => (await import('../../jobs/report/report.js')).writeReport,
  report: ({ file, bytes }, style) =>
    `${style.bold(t('reports.written'))} ${String(file)}${bytes === null ? '' : ` (${inWords(Number(bytes))})`}\n`,
});
