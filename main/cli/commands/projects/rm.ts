/** `verisim rm`: a project to the trash. */
import { t } from '../../language.js';
import { path } from '../../../../shared/config/commands.js';
import { parameter } from '../../../../shared/config/parameter.js';
import { z } from 'zod';
import { existingProjectProblems } from '../../../jobs/problems.js';
import { defineCommand, group } from '../../command.js';

const own = {
  project: path('folder', 'rm.project'),
  force: parameter(z.boolean().default(false), { option: 'rm.force' }),
};

export const command = defineCommand({
  name: 'rm',
  groups: [group('delete', own)],
  positional: 'project',
  examples: ['rm my-book', 'rm my-book --force'],
  problems: ({ project }) => existingProjectProblems('project', project),
  job: async () => (await import('../../../jobs/project/remove.js')).removeJob,
  report: ({ project, trash }, style) =>
    trash === null
      ? `${style.bold(t('reports.deleted'))} ${String(project)}\n`
      : `${style.bold(t('reports.in_trash'))} ${String(project)} (${String(trash)})\n`,
});
