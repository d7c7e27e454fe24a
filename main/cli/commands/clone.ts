/** `verisim clone`: a new project with another's configuration. */
import { cloneCommandShape, commandSpecs } from '../../../shared/config/commands.js';
import { error } from '../../../shared/config/checks.js';
import { cloneJob } from '../../jobs/clone.js';
import { isProject } from '../../jobs/project.js';
import { projectSummary } from '../closing-report.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';

export const command = defineCommand(cloneCommandShape, {
  spec: commandSpecs.clone,
  problems({ project, to }) {
    if (!isProject(project)) {
      return [
        error('file_not_found', 'project', `Not a Verisim project: ${project}`, `${program} list shows the projects.`),
      ];
    }
    return isProject(to) ? [error('exists', 'to', `There is a project already: ${to}`, 'Choose another folder.')] : [];
  },
  run: (settings, context, given) => cloneJob({ settings, given }, context),
  report: projectSummary,
});
