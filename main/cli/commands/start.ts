/**
 * `verisim start`: the sample project, from a model that can write (or from scratch) to its last cycle; `npm start` runs it
 * without a display.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { error } from '../../../shared/config/checks.js';
import { initialModelPath } from '../../../shared/config/init.js';
import { parameter } from '../../../shared/config/parameter.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import { fileFacts, initialProblems } from '../../jobs/problems.js';
import { sampleModelHere, sampleModelTrouble, sampleSettings } from '../../jobs/project/project-settings.js';
import { projectsHome } from '../../services/files/data-folder.js';
import { isProject } from '../../storage/projects/project-paths.js';
import { closingReport } from '../reports.js';
import { defineCommand, group } from '../command.js';
import { hardware } from '../groups.js';

const own = {
  project: parameter(z.string().min(1).optional(), { option: 'start.project', path: 'folder' }),
  init_from: parameter(z.string().min(1).optional(), { option: 'start.init_from', path: 'folder' }),
};
type Settings = z.infer<z.ZodObject<typeof own>>;

const isFromScratch = (init_from: string | undefined): boolean =>
  init_from !== undefined && initialModelPath({ init_from }) === null;

/** A sample from scratch has its own folder, so that both can be compared. */
const folderOf = ({ project, init_from }: Settings): string =>
  project ?? join(projectsHome('projects'), isFromScratch(init_from) ? 'moby-dick-from-scratch' : 'moby-dick');

/** Announces the work ahead. */
function announcement({ init_from }: Settings, folder: string): Message {
  if (isProject(folder)) return localized('start.resuming', { folder });
  const model = init_from ?? sampleModelHere();
  if (model !== undefined && !isFromScratch(model)) return localized('start.from_model', { folder });
  return localized('start.from_scratch', { folder, trouble: init_from === undefined ? sampleModelTrouble() : null });
}

export const start = defineCommand({
  name: 'start',
  groups: [group('project', own), hardware],
  positional: 'project',
  examples: ['start', 'start --init_from scratch'],
  problems(config) {
    if (isProject(folderOf(config))) return [];
    const model = initialProblems(config, fileFacts);
    const path = sampleTextPath();
    if (existsSync(path)) return model;
    const hint = localized('commands.npm_run_setup_fetches');
    return [error('file_not_found', null, localized('start.no_text', { path }), hint), ...model];
  },
  async job() {
    const { cycleJob } = await import('../../jobs/project/cycle.js');
    return (config, context, given) => {
      const folder = folderOf(config);
      const { device, threads, init_from } = config;
      const from = init_from === undefined ? {} : { init_from };
      const settings = sampleSettings({ project: folder, device, threads, ...from });
      const message = announcement(config, folder);
      context.emit({ event: 'notice', level: 'info', code: 'sample_project', message });
      return cycleJob({ folder, settings, given }, context);
    };
  },
  report: closingReport,
});
