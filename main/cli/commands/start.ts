/**
 * `verisim start`: the sample project, from a model that can write (or from nothing) to its last cycle; what `npm start` does
 * without a display.
 */
import { localized } from '../../../shared/messages/message.js';
import { error } from '../../../shared/config/checks.js';
import { z } from 'zod';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { parameter } from '../../../shared/config/parameter.js';
import { fileFacts } from '../../jobs/file-facts.js';
import { initialProblems } from '../../jobs/problems.js';
import { sampleModelHere, sampleModelTrouble, sampleSettings } from '../../jobs/project/sample-project.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import { projectsHome } from '../../services/files/data-folder.js';
import { closingReport } from '../closing-report.js';
import { defineCommand, group } from '../command.js';
import { hardware } from '../groups.js';

type Settings = z.infer<z.ZodObject<typeof own>> & Pick<ProjectCommand, 'device' | 'threads'>;

/** A sample from nothing that was asked for stands beside the other: they are there to be compared. */
const folderOf = ({ project, init_from }: Pick<Settings, 'project' | 'init_from'>): string =>
  project ?? join(projectsHome('projects'), isFromNothing(init_from) ? 'moby-dick-from-scratch' : 'moby-dick');

const isFromNothing = (init_from: string | undefined): boolean =>
  init_from !== undefined && initialModelPath({ init_from }) === null;

const own = {
  project: parameter(z.string().min(1).optional(), { option: 'start.project', path: 'folder' }),
  init_from: parameter(z.string().min(1).optional(), { option: 'start.init_from', path: 'folder' }),
};

const fromNothingBecause = {
  absent: ' SmolLM2-135M is not here (npm run setup -- --only model fetches it), so it starts from scratch.',
  memory: ' Training SmolLM2-135M needs more memory than this machine has, so it starts from scratch.',
} as const;

/** What is about to happen, for a person who has typed two words. */
function beginning(config: Settings, folder: string): string {
  if (isProject(folder)) return `Resuming the sample project in ${folder}. What is finished is kept.`;
  const stops = 'Ctrl-C stops it cleanly, and the same command resumes.';
  const begin = config.init_from ?? sampleModelHere();
  if (begin !== undefined && !isFromNothing(begin))
    return `The sample project: a model that can write already learns to write like Moby-Dick, then improves itself, in ${folder}. The first sample comes within minutes; the whole takes less than twenty minutes on two cores where the processor multiplies bfloat16, about an hour where it does not, and the progress tells how long here. ${stops}`;
  const trouble = config.init_from === undefined ? sampleModelTrouble() : null;
  const why = trouble === null ? '' : fromNothingBecause[trouble];
  return `The sample project: a small model learns to write from Moby-Dick, then improves itself in two cycles, in ${folder}.${why} This takes some minutes; ${stops}`;
}

export const command = defineCommand({
  name: 'start',
  groups: [group('project', own), hardware],
  positional: 'project',
  examples: ['start', 'start --init_from scratch'],
  problems(config) {
    if (isProject(folderOf(config))) return [];
    const model = initialProblems(config, fileFacts);
    if (existsSync(sampleTextPath())) return model;
    const message = `The sample text is not there: ${sampleTextPath()}`;
    return [error('file_not_found', null, message, localized('commands.npm_run_setup_fetches')), ...model];
  },
  async job() {
    const { cycleJob } = await import('../../jobs/project/cycle.js');
    return (config, context, given) => {
      const folder = folderOf(config);
      const { device, threads, init_from } = config;
      const settings = sampleSettings({
        project: folder,
        device,
        threads,
        ...(init_from === undefined ? {} : { init_from }),
      });
      const message = beginning(config, folder);
      context.emit({ event: 'notice', level: 'info', code: 'sample_project', message });
      return cycleJob({ folder, settings, given }, context);
    };
  },
  report: closingReport,
});
