/** New projects: from a draft, from the bundled sample; and drafts from projects that are there. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { projectCommandShape, type ProjectCommand } from '../../../shared/config/commands.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { sampleProject } from '../../../shared/config/sample.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import { UserError } from '../../../shared/errors.js';
import { typed } from '../../../shared/sentence.js';
import { projectConfigOf } from '../../jobs/project/project-config.js';
import { createProject, openProject } from '../../storage/projects/project-folder.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import { checkDraft, freeFolder, problemError } from '../drafts/draft-check.js';
import type { Drafts } from '../drafts/drafts.js';
import { presetOf } from './projects.js';
import type { Registry } from './registry.js';

export interface ProjectMaking {
  /** Makes the project; the draft is gone then. @throws UserError the first problem of the draft's check */
  fromDraft(draft: string): KnownFolder;
  /** Moby-Dick, the tiny preset, two cycles: as `verisim start`. */
  sample(): KnownFolder;
  /** A draft with a project's configuration. */
  draftOf(folder: string, name: string | undefined): string;
}

interface KnownFolder {
  readonly id: string;
  readonly folder: string;
}

interface MakingOptions {
  readonly drafts: Drafts;
  readonly registry: Registry;
  projectsFolder(): string;
  readonly version: string;
}

const schema = z.object(projectCommandShape);

export function createProjectMaking({ drafts, registry, projectsFolder, version }: MakingOptions): ProjectMaking {
  const make = (settings: ProjectCommand, name: string): KnownFolder => {
    const folder = settings.project;
    createProject(folder, projectConfigOf(settings), { name, verisim_version: version });
    return { id: registry.idOf(folder), folder };
  };
  return {
    fromDraft(id) {
      const draft = drafts.stored(id);
      const { config, problems } = checkDraft(draft, projectsFolder());
      const worst = problems.find(({ severity }) => severity === 'error');
      if (worst !== undefined || config === null) throw problemError(worst);
      const made = make(config, draft.name);
      drafts.discard(id);
      return made;
    },
    sample() {
      const text = sampleTextPath();
      if (!existsSync(text)) {
        throw new UserError({
          code: 'file_not_found',
          message: 'The sample text is not there.',
          hint: 'npm run setup fetches it.',
        });
      }
      const project = freeFolder(projectsFolder(), 'Moby-Dick');
      const given = { project, data_path: text, ...sampleProject };
      const resolved = resolveSettings(projectCommandShape, given);
      if (!resolved.ok) throw new Error(`the sample project's settings: ${typed(resolved.problems[0]?.message ?? '')}`);
      return make(schema.parse(resolved.value), 'Moby-Dick');
    },
    draftOf(folder, name) {
      const { config, name: original } = openProject(folder);
      const preset = presetOf(config);
      const { vocab_size: _vocabulary, mode: _mode, architecture: _taken, llama: _over, ...settings } = config;
      const initial = resolveSettings(projectCommandShape, { project: folder, preset });
      const defaults = initial.ok ? initial.value : {};
      const given = Object.entries(settings).filter(([key, value]) => value !== undefined && value !== defaults[key]);
      return drafts.create({
        name: name ?? `${original} (copy)`,
        preset,
        given: Object.fromEntries(given) as GivenSettings,
      }).id;
    },
  };
}
