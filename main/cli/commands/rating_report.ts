/** `verisim rating_report`: what people's judgements of a project come to, as a file for others. */
import { inWords } from '../../storage/disk/disk.js';
import { z } from 'zod';
import { path } from '../../../shared/config/commands.js';
import { parameter } from '../../../shared/config/parameter.js';
import { ratingReportFormatNames } from '../../../shared/judging-report.js';
import { existingProjectProblems } from '../../jobs/problems.js';
import { defineCommand, group } from '../command.js';
import { documentLanguage, hardware } from '../groups.js';
import { grouped } from '../words.js';

const own = {
  project: path('folder', 'Project folder', 'The project whose ratings are reported.'),
  format: parameter(z.enum(ratingReportFormatNames).default('html'), {
    label: 'Format',
    help: 'html: a page with charts that opens in any browser. json: the same as data. csv: every judgement as a row. pairs: preferences as JSON Lines with prompt, chosen and rejected, which TRL’s DPOTrainer reads.',
  }),
  file: parameter(z.string().min(1).nullable().default(null), {
    label: 'File',
    help: 'Where it is written; unset means beside the project, by its name. What is there is replaced.',
    path: 'file',
  }),
  scores: parameter(z.boolean().default(true), {
    label: 'Ask the reward models',
    help: 'Have the newest reward models judge every pair and passage too, which makes preferences more certain and compares them with people; takes longer. Only in html and json.',
  }),
  language: documentLanguage('The language of the page, and of the sentences in json.'),
};

export const command = defineCommand({
  name: 'rating_report',
  summary: 'Write what people’s ratings of a project come to: a page, data, rows, or pairs to train on.',
  about:
    'Compares every two versions that were voted on, rates all of them, and says how far the votes can be trusted, with a paragraph about the method. The page holds everything and asks for nothing from elsewhere.',
  groups: [group('Report', own), hardware],
  positional: 'project',
  examples: ['rating_report my-book', 'rating_report my-book --format pairs --file pairs.jsonl'],
  problems: ({ project }) => existingProjectProblems('project', project),
  job: async () => (await import('../../jobs/rating/report.js')).writeRatingReport,
  report: ({ file, bytes, judgements }, style) =>
    `${style.bold('Written:')} ${String(file)} (${inWords(Number(bytes))}, of ${grouped(Number(judgements))} judgements)\n`,
});
