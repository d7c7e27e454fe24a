/** `verisim import`: a project from the file that `verisim export --format project` wrote. */
import { commandSpecs, importCommandShape } from '../../../shared/config/commands.js';
import { error } from '../../../shared/config/checks.js';
import { importProjectJob } from '../../jobs/archive.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';

export const command = defineCommand(importCommandShape, {
  spec: commandSpecs.import,
  problems: ({ file }, files) =>
    files.kind(file) === 'file'
      ? []
      : [
          error(
            'file_not_found',
            'file',
            `File not found: ${file}`,
            'Give the file that export --format project wrote.',
          ),
        ],
  run: importProjectJob,
  report: ({ project }, style) =>
    `${style.bold('Imported:')} ${String(project)}\nGo on with it: ${program} cycle ${String(project)}\n`,
});
