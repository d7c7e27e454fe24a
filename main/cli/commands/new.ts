/** `verisim new`: a project folder, with its text prepared and every setting checked. */
import { commandSpecs, projectCommandShape } from '../../../shared/config/commands.js';
import { newProjectJob } from '../../jobs/cycle.js';
import { projectProblems } from '../../jobs/problems.js';
import { isProject } from '../../jobs/project.js';
import { projectSummary } from '../closing-report.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';

export const command = defineCommand(projectCommandShape, {
  spec: commandSpecs.new,
  problems(config, files) {
    if (!isProject(config.project)) return projectProblems(config, files);
    return [
      {
        severity: 'error',
        code: 'exists',
        field: 'project',
        message: `There is a project already: ${config.project}`,
        hint: `Train it with: ${program} cycle ${config.project}; or choose another folder.`,
      },
    ];
  },
  run: (settings, context, given) => newProjectJob({ folder: settings.project, settings, given }, context),
  report: projectSummary,
});
