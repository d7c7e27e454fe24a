/** `verisim cycle`: base model, then cycle after cycle, in a project folder. */
import { commandSpecs, projectCommandShape } from '../../../shared/config/commands.js';
import { cycleJob } from '../../jobs/cycle.js';
import { projectProblems } from '../../jobs/problems.js';
import { isProject } from '../../jobs/project.js';
import { closingReport } from '../closing-report.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';

export const command = defineCommand(projectCommandShape, {
  spec: commandSpecs.cycle,
  problems(config, files, given) {
    // An existing project is held against its own project.json, by the job.
    if (isProject(config.project)) return [];
    const hasText = ['data_path', 'train_bin', 'val_bin', 'input_mode'].some((key) => key in given);
    if (hasText) return projectProblems(config, files);
    return [
      {
        severity: 'error',
        code: 'file_not_found',
        field: 'project',
        message: `Not a Verisim project: ${config.project} holds no project.json`,
        hint: `Check the path, or make the project by giving a text: ${program} cycle ${config.project} --data_path your-text.txt`,
      },
    ];
  },
  run: (settings, context, given) => cycleJob({ folder: settings.project, settings, given }, context),
  report: closingReport,
});
