/** New projects: from a draft, from the bundled sample; and drafts from projects that are there. */
import { existsSync, rmSync } from 'node:fs';
import type { ProjectCommand } from '../../../shared/config/commands.js';
import { MOST_TRIALS, type SweepAxis } from '../../../shared/contract/drafts.js';
import type { GivenSettings } from '../../../shared/contract/values.js';
import { UserError } from '../../../shared/errors.js';
import { say } from '../../../shared/sentence.js';
import { sampleSettings } from '../../jobs/project/sample-project.js';
import { settingsAgain } from '../../jobs/project/settings-again.js';
import { projectConfigOf } from '../../jobs/project/project-config.js';
import { createProject } from '../../storage/projects/project-folder.js';
import { sampleTextPath } from '../../installation/locations.mjs';
import { checkDraft, freeFolder, problemError } from '../drafts/draft-check.js';
import type { Drafts, StoredDraft } from '../drafts/drafts.js';
import type { Registry } from './registry.js';

export interface ProjectMaking {
  /** Makes the project; the draft is gone then. @throws UserError the first problem of the draft's check */
  fromDraft(draft: string): KnownFolder;
  /**
   * A project for each combination of the values, named by them; all or none. The draft is gone then.
   * @throws UserError `bad_input` for more than `MOST_TRIALS`; the first problem of a combination, which it names
   */
  sweep(draft: string, axes: readonly SweepAxis[]): readonly KnownFolder[];
  /** Moby-Dick, from SmolLM2 where it is here and not from nothing is wanted: as `verisim start`. */
  sample(begin: 'model' | 'nothing', name: string): KnownFolder;
  /**
   * A draft with a project's configuration, or with its base model of that name to begin from.
   * @throws UserError `file_not_found` where it has no such base model
   */
  draftOf(folder: string, options: { readonly name?: string | undefined; readonly model?: string | undefined }): string;
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

/** Each combination of the values, the last setting's changing fastest. @throws UserError `bad_input` where there are too many */
function trialsOf(axes: readonly SweepAxis[], project: string): { name: string; given: GivenSettings }[] {
  let trials: { name: string; given: GivenSettings }[] = [{ name: project, given: {} }];
  const count = axes.reduce((product, { values }) => product * new Set(values).size, 1);
  if (count > MOST_TRIALS || new Set(axes.map(({ key }) => key)).size < axes.length) {
    throw new UserError({
      code: 'bad_input',
      message: count > MOST_TRIALS ? `${count} projects are more than ${MOST_TRIALS}` : 'a setting is tried twice',
      hint: count > MOST_TRIALS ? 'Try fewer values at once.' : 'Give all its values in one place.',
    });
  }
  for (const { key, label, values } of axes)
    trials = trials.flatMap(({ name, given }) =>
      [...new Set(values)].map((value) => ({
        name: `${name}, ${label} ${value ?? 'none'}`.slice(0, 200),
        given: { ...given, [key]: value },
      })),
    );
  return trials;
}

/** What is wrong with one of several projects. */
function named(name: string, cause: UserError): UserError {
  const fault = cause.toFault();
  return new UserError({ ...fault, message: say`${name}: ${fault.message}` }, { cause });
}

export function createProjectMaking({ drafts, registry, projectsFolder, version }: MakingOptions): ProjectMaking {
  const make = (settings: ProjectCommand, name: string): KnownFolder => {
    const folder = settings.project;
    createProject(folder, projectConfigOf(settings), { name, verisim_version: version });
    return { id: registry.idOf(folder), folder };
  };
  /** @param wrong what is thrown for the first problem, from the error that it is by itself */
  const checked = (draft: StoredDraft, wrong = (error: UserError) => error): ProjectCommand => {
    const { config, problems } = checkDraft(draft, projectsFolder());
    const worst = problems.find(({ severity }) => severity === 'error');
    if (worst !== undefined || config === null) throw wrong(problemError(worst));
    return config;
  };
  return {
    fromDraft(id) {
      const draft = drafts.stored(id);
      const made = make(checked(draft), draft.name);
      drafts.discard(id);
      return made;
    },
    sweep(id, axes) {
      const trials = trialsOf(axes, drafts.stored(id).name).map(({ name, given }) => ({
        config: checked(drafts.variant(id, name, given), (error) => named(name, error)),
        name,
      }));
      const made: KnownFolder[] = [];
      try {
        // Long names are cut, and may then be the same folder's: each finds its own when the one before is there.
        for (const { config, name } of trials)
          made.push(make({ ...config, project: freeFolder(projectsFolder(), name) }, name));
      } catch (error) {
        for (const { id: one, folder } of made) {
          registry.forget(one);
          rmSync(folder, { recursive: true, force: true });
        }
        throw error;
      }
      drafts.discard(id);
      return made;
    },
    sample(begin, name) {
      if (!existsSync(sampleTextPath())) {
        throw new UserError({
          code: 'file_not_found',
          message: 'The sample text is not there.',
          hint: 'npm run setup fetches it.',
        });
      }
      const project = freeFolder(projectsFolder(), name);
      return make(sampleSettings({ project, ...(begin === 'nothing' ? { init_from: 'scratch' } : {}) }), name);
    },
    draftOf(folder, { name, model }) {
      const { preset, given, original } = settingsAgain(folder, model);
      return drafts.create({
        name: name ?? `${original} (${model ?? 'copy'})`,
        preset,
        given,
      }).id;
    },
  };
}
