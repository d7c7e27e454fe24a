/** `verisim start`: the sample project, from nothing to two cycles; what `npm start` does without a display. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  commandSpecs,
  projectCommandShape,
  startCommandShape,
  type ProjectCommand,
  type StartCommand,
} from '../../../shared/config/commands.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { sampleProject } from '../../../shared/config/sample.js';
import { z } from 'zod';
import { cycleJob } from '../../jobs/cycle.js';
import { isProject } from '../../jobs/project.js';
import { sampleTextPath } from '../../storage/tensorflow-location.js';
import { closingReport } from '../closing-report.js';
import { defineCommand } from '../command.js';

const folderOf = ({ project }: StartCommand): string =>
  project ?? join(process.env['VERISIM_HOME'] ?? 'projects', 'moby-dick');

function sampleSettings(config: StartCommand): ProjectCommand {
  const { device, threads } = config;
  const given = { project: folderOf(config), data_path: sampleTextPath(), ...sampleProject, device, threads };
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new Error(`the sample project's settings: ${resolved.problems[0]?.message ?? ''}`);
  return z.object(projectCommandShape).parse(resolved.value);
}

export const command = defineCommand(startCommandShape, {
  spec: commandSpecs.start,
  problems(config) {
    if (isProject(folderOf(config)) || existsSync(sampleTextPath())) return [];
    return [
      {
        severity: 'error',
        code: 'file_not_found',
        field: null,
        message: `The sample text is not there: ${sampleTextPath()}`,
        hint: 'npm run setup fetches it',
      },
    ];
  },
  async run(config, context, given) {
    const folder = folderOf(config);
    const message = isProject(folder)
      ? `Going on with the sample project in ${folder}. What is finished is kept.`
      : `The sample project: a small model learns to write from Moby-Dick, then improves itself in two cycles, in ${folder}. This takes some minutes; Ctrl-C stops it cleanly, and the same command goes on.`;
    context.emit({ event: 'notice', level: 'info', code: 'sample_project', message });
    return cycleJob({ folder, settings: sampleSettings(config), given }, context);
  },
  report: closingReport,
});
