/** `verisim report`: what projects and runs came to, as a file to give away. */
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
  summary: 'Write what projects came to as one file to give away: page, data or rows.',
  about:
    'Reads what projects and runs have recorded: settings, changes while they ran, versions and machine, a hash of the text, charts, samples, and the verdict by the same rules as the window. Several are laid over each other, with what differs between them. Paths of your files are left out. Nothing is changed and no model is loaded.',
  groups: [group('Report of runs', own)],
  positional: 'projects',
  examples: ['report my-book', 'report my-book my-book-wider --file both.html', 'report runs/a --format csv'],
  job: async () => (await import('../../jobs/report/report.js')).writeReport,
  report: ({ file, bytes }, style) =>
    `${style.bold('Written:')} ${String(file)}${bytes === null ? '' : ` (${inWords(Number(bytes))})`}\n`,
});
