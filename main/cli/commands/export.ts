/** `verisim export`: a model for another program, or a whole project in one file. */
import { commandSpecs, exportCommandShape } from '../../../shared/config/commands.js';
import { error, modelFileProblems, outputProblems } from '../../../shared/config/checks.js';
import { exportProjectJob } from '../../jobs/archive.js';
import { exportJob, nextStep } from '../../jobs/export.js';
import { isProject } from '../../jobs/project.js';
import { defineCommand } from '../command.js';
import { program } from '../help.js';
import { bytes as inBytes } from '../words.js';

export const command = defineCommand(exportCommandShape, {
  spec: commandSpecs.export,
  problems({ model_path, out_dir, format }, files) {
    if (format !== 'project') {
      return [...modelFileProblems('model_path', model_path, files), ...outputProblems('out_dir', out_dir, files)];
    }
    if (isProject(model_path)) return [];
    const hint = `Give the folder of a project; ${program} list shows them.`;
    return [error('file_not_found', 'model_path', `Not a Verisim project: ${model_path}`, hint)];
  },
  run: ({ format, ...settings }, context) =>
    format === 'project'
      ? exportProjectJob({ project: settings.model_path, file: settings.file }, context)
      : exportJob({ ...settings, format }, context),
  report({ out_dir, parameters, file, bytes }, style, { format }) {
    const lines =
      format === 'project'
        ? [
            `${style.bold('Exported:')} ${String(file)} (${inBytes(Number(bytes))})`,
            `Bring it back, here or elsewhere, with: ${program} import ${String(file)}`,
          ]
        : [
            `${style.bold('Exported:')} ${String(out_dir)} (${Number(parameters).toLocaleString('en-US')} weights)`,
            `Read it in Python with: ${nextStep(format, String(out_dir))}`,
          ];
    return `${lines.join('\n')}\n`;
  },
});
