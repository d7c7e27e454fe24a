/** `verisim start`: the sample project, from nothing to two cycles; what `npm start` does without a display. */
import { projectCommandShape, type ProjectCommand } from '../../../shared/config/commands.js';
import { parameter } from '../../../shared/config/parameter.js';
import { z } from 'zod';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { sampleProject } from '../../../shared/config/sample.js';
import { typed } from '../../../shared/sentence.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import { projectsHome } from '../../services/files/data-folder.js';
import { closingReport } from '../closing-report.js';
import { defineCommand, group } from '../command.js';
import { hardware } from '../groups.js';

type Settings = z.infer<z.ZodObject<typeof own>> & Pick<ProjectCommand, 'device' | 'threads'>;

const folderOf = ({ project }: Pick<Settings, 'project'>): string =>
  project ?? join(projectsHome('projects'), 'moby-dick');

function sampleSettings(config: Settings): ProjectCommand {
  const { device, threads } = config;
  const given = { project: folderOf(config), data_path: sampleTextPath(), ...sampleProject, device, threads };
  const resolved = resolveSettings(projectCommandShape, given);
  if (!resolved.ok) throw new Error(`the sample project's settings: ${typed(resolved.problems[0]?.message ?? '')}`);
  return z.object(projectCommandShape).parse(resolved.value);
}

const own = {
  project: parameter(z.string().min(1).optional(), {
    label: 'Project folder',
    help: 'Where the sample project lives; unset means moby-dick in $VERISIM_HOME, or in ./projects.',
    path: 'folder',
  }),
};

export const command = defineCommand({
  name: 'start',
  summary: 'The sample project: a book, a small model and two cycles; a good first thing to run.',
  about:
    'Makes a project from Moby-Dick, trains a small model on it, improves it in two cycles and shows what came of it. Run it again to continue, or to see the result once more.',
  groups: [group('Project', own), hardware],
  positional: 'project',
  examples: ['start'],
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
  async job() {
    const { cycleJob } = await import('../../jobs/project/cycle.js');
    return (config, context, given) => {
      const folder = folderOf(config);
      const message = isProject(folder)
        ? `Resuming the sample project in ${folder}. What is finished is kept.`
        : `The sample project: a small model learns to write from Moby-Dick, then improves itself in two cycles, in ${folder}. This takes some minutes; Ctrl-C stops it cleanly, and the same command resumes.`;
      context.emit({ event: 'notice', level: 'info', code: 'sample_project', message });
      return cycleJob({ folder, settings: sampleSettings(config), given }, context);
    };
  },
  report: closingReport,
});
