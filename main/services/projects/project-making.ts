/** New projects: from a draft, from the bundled sample; and drafts from projects that are there. */
import { localized } from '../../../shared/messages/message.js';
import { existsSync } from 'node:fs';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { UserError } from '../../../shared/errors.js';
import { sampleSettings, settingsAgain, projectConfigOf } from '../../jobs/project/project-settings.js';
import { createProject } from '../../storage/projects/project-folder.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import { checkDraft, freeFolder, problemError } from '../drafts/draft-check.js';
import type { Drafts, StoredDraft } from '../drafts/drafts.js';
import type { Registry } from './registry.js';

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

export function createProjectMaking({ drafts, registry, projectsFolder, version }: MakingOptions) {
  const make = (settings: ProjectCommand, name: string): KnownFolder => {
    const folder = settings.project;
    createProject(folder, projectConfigOf(settings), { name, verisim_version: version });
    return { id: registry.idOf(folder), folder };
  };
  const checked = (draft: StoredDraft): ProjectCommand => {
    const { config, problems } = checkDraft(draft, projectsFolder());
    const worst = problems.find(({ severity }) => severity === 'error');
    if (worst !== undefined || config === null) throw problemError(worst);
    return config;
  };
  return {
    /** Makes the project; the draft is gone then. @throws UserError the first problem of the draft's check */
    fromDraft(id: string) {
      const draft = drafts.stored(id);
      const made = make(checked(draft), draft.name);
      drafts.discard(id);
      return made;
    },
    /** Moby-Dick, from SmolLM2 where it is here and not from nothing is wanted: as `verisim start`. */
    sample(begin: 'model' | 'nothing', name: string) {
      if (!existsSync(sampleTextPath())) {
        throw new UserError({
          code: 'file_not_found',
          message: localized('projects.sample_text_there'),
          hint: localized('projects.npm_run_setup_fetches'),
        });
      }
      const project = freeFolder(projectsFolder(), name);
      return make(sampleSettings({ project, ...(begin === 'nothing' ? { init_from: 'scratch' } : {}) }), name);
    },
    /** Creates a draft from a project's configuration, or from one of its base models. @throws UserError `file_not_found` */
    draftOf(folder: string, { name, model }: { readonly name: string; readonly model?: string | undefined }) {
      const { preset, given } = settingsAgain(folder, model);
      return drafts.create({ name, preset, given }).id;
    },
  };
}
