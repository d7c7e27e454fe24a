/** `verisim clone`: a new project with another's configuration. */
import { localized } from '../../../../shared/messages/message.js';
import { path, preset } from '../../../../shared/config/commands.js';
import { error } from '../../../../shared/config/checks.js';
import { existingProjectProblems } from '../../../jobs/problems.js';
import { isProject } from '../../../storage/projects/project-paths.js';
import { projectSummary } from '../../closing-report.js';
import { defineCommand, group } from '../../command.js';
import { projectSettings } from '../../groups.js';

const own = {
  project: path('folder', 'clone.project'),
  to: path('folder', 'clone.to'),
};

export const command = defineCommand({
  name: 'clone',
  groups: [group('clone', { ...own, preset: preset('none') }), ...projectSettings],
  positional: 'project',
  examples: ['clone my-book --to my-book-wider --n_embd 256'],
  problems({ project, to }) {
    const problems = existingProjectProblems('project', project);
    if (problems.length > 0) return problems;
    return isProject(to)
      ? [error('exists', 'to', localized('projects.exists', { to }), localized('projects.choose_another_folder'))]
      : [];
  },
  async job() {
    const { cloneJob } = await import('../../../jobs/project/clone.js');
    return (settings, context, given) => cloneJob({ settings, given }, context);
  },
  report: projectSummary,
});
