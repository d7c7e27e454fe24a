/** `verisim export`: a model for another program. */
import { commandSpecs, exportCommandShape } from '../../../shared/config/commands.js';
import { modelFileProblems, outputProblems } from '../../../shared/config/checks.js';
import { exportJob, nextStep } from '../../jobs/export.js';
import { defineCommand } from '../command.js';

export const command = defineCommand(exportCommandShape, {
  spec: commandSpecs.export,
  problems: ({ model_path, out_dir }, files) => [
    ...modelFileProblems('model_path', model_path, files),
    ...outputProblems('out_dir', out_dir, files),
  ],
  run: exportJob,
  report: ({ out_dir, parameters }, style, { format }) =>
    [
      `${style.bold('Exported:')} ${String(out_dir)} (${Number(parameters).toLocaleString('en-US')} weights)`,
      `Read it in Python with: ${nextStep(format, String(out_dir))}`,
      '',
    ].join('\n'),
});
