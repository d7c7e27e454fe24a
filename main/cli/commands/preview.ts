/** `verisim preview`: what a text and the settings come to, before anything long begins. */
import { commandSpecs, previewCommandShape } from '../../../shared/config/commands.js';
import { previewJob } from '../../jobs/preview.js';
import { previewProblems } from '../../jobs/problems.js';
import { defineCommand } from '../command.js';
import { previewReport } from '../preview-report.js';

export const command = defineCommand(previewCommandShape, {
  spec: commandSpecs.preview,
  answers: true,
  problems: previewProblems,
  run: previewJob,
  report: previewReport,
});
