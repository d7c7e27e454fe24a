/** `verisim rm`: a project to the trash. */
import { commandSpecs, removeCommandShape } from '../../../shared/config/commands.js';
import { error } from '../../../shared/config/checks.js';
import { isProject } from '../../jobs/project.js';
import { removeJob } from '../../jobs/remove.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';

export const command = defineCommand(removeCommandShape, {
  spec: commandSpecs.rm,
  problems: ({ project }) =>
    isProject(project)
      ? []
      : [
          error(
            'file_not_found',
            'project',
            `Not a Verisim project: ${project}`,
            `${program} list shows the projects.`,
          ),
        ],
  run: removeJob,
  report: ({ project, trash }, style) =>
    trash === null
      ? `${style.bold('Deleted:')} ${String(project)}\n`
      : `${style.bold('In the trash:')} ${String(project)} (${String(trash)})\n`,
});
