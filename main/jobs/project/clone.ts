/** A new project with the configuration of another, changed where the person says so. */
import { existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { dataShape, projectShape, withoutTakenOver } from '../../../shared/config/index.js';
import { presetValues } from '../../../shared/config/resolve.js';
import { copyFolder } from '../../storage/disk/staged.js';
import { createProject, openProject } from '../../storage/projects/project-folder.js';
import { newProjectJob } from './cycle.js';
import { projectConfigOf } from './project-config.js';
import type { JobContext, Results } from '../types.js';

interface CloneRequest {
  readonly settings: ProjectCommand & { readonly to: string };
  /** What the person wrote: only this differs from the project that is cloned. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** Makes it, and trains nothing. @throws UserError `exists`, `file_not_found`, and what a new project may be refused for */
export async function cloneJob({ settings, given }: CloneRequest, context: JobContext): Promise<Results> {
  const source = openProject(settings.project);
  const changes = Object.entries({ ...presetValues(projectShape, given['preset']), ...given }).filter(
    ([key]) => key in projectShape,
  );
  const { mode: _mode, vocab_size: _vocabulary, ...asked } = withoutTakenOver(source.config);
  const config = { ...asked, ...Object.fromEntries(changes) };
  const wanted = { ...config, project: settings.to, preset: 'none' } as ProjectCommand;
  // The same text was prepared already, and may be gone from where it was.
  const sameText = !changes.some(([key]) => key in dataShape) && existsSync(join(source.paths.data, 'train.bin'));
  if (!sameText) return newProjectJob({ folder: settings.to, settings: wanted, given: {} }, context);

  const { paths } = createProject(settings.to, projectConfigOf(wanted), {
    name: basename(resolve(settings.to)),
    verisim_version: packageFile.version,
  });
  try {
    copyFolder(source.paths.data, paths.data);
    return await newProjectJob({ folder: settings.to, settings: wanted, given: {} }, context);
  } catch (error) {
    rmSync(settings.to, { recursive: true, force: true });
    throw error;
  }
}
