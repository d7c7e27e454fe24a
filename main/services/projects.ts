/** Projects as the window sees them: what their folders say, and what the supervisor is doing with them. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ProjectConfig } from '../../shared/config/index.js';
import { presets, presetNames } from '../../shared/config/presets.js';
import type { ProjectDetails, ProjectSummary } from '../../shared/contract/projects.js';
import type { GivenSettings } from '../../shared/contract/values.js';
import { UserError } from '../../shared/errors.js';
import type { Project } from '../storage/project-folder.js';
import { modelNamesIn, projectFacts, timelineOf, type ProjectFacts } from './project-facts.js';
import type { KnownProject, Registry } from './registry.js';

export interface Projects {
  list(): readonly ProjectSummary[];
  get(id: string): ProjectDetails;
  summary(id: string): ProjectSummary;
  /** The folder of a project that is there and can be read. @throws UserError */
  folderOf(id: string): string;
}

export function createProjects(registry: Registry): Projects {
  const summaryOf = ({ id, folder }: KnownProject, facts: ProjectFacts = projectFacts(folder)): ProjectSummary => {
    if (facts.kind !== 'whole') return unreadable(id, folder, facts);
    const { project, reports } = facts;
    const perplexities = reports.map(({ perplexity }) => perplexity);
    return {
      id,
      name: project.name,
      state: facts.finished ? 'finished' : facts.begun ? 'stopped' : 'new',
      preset: presetOf(project.config),
      tokenization: tokenizationOf(project),
      cycle: reports.length - 1,
      max_cycles: project.config.max_cycles,
      perplexities,
      best_perplexity: best(perplexities),
      changed: facts.changed,
      activity: null,
      fault: null,
      exact: true,
    };
  };
  return {
    list: () => registry.list().map((project) => summaryOf(project)),
    summary: (id) => summaryOf({ id, folder: registry.folderOf(id) }),
    folderOf(id) {
      const folder = registry.folderOf(id);
      whole(folder);
      return folder;
    },
    get(id) {
      const folder = registry.folderOf(id);
      const facts = whole(folder);
      const { project, reports } = facts;
      return {
        summary: summaryOf({ id, folder }, facts),
        folder,
        config: project.config as unknown as GivenSettings,
        verisim_version: project.verisim_version,
        timeline: timelineOf(project, reports.length, null),
        models: modelNamesIn(project),
      };
    },
  };
}

/** @throws UserError when the project is not there or cannot be read */
function whole(folder: string): Extract<ProjectFacts, { kind: 'whole' }> {
  const facts = projectFacts(folder);
  if (facts.kind === 'whole') return facts;
  if (facts.kind === 'damaged') throw new UserError(facts.fault);
  throw new UserError({
    code: 'file_not_found',
    message: `The project’s folder is not there any more: ${folder}`,
    hint: 'Put it back, open it where it is now, or take it out of the list.',
    field: 'id',
  });
}

function unreadable(id: string, folder: string, facts: Exclude<ProjectFacts, { kind: 'whole' }>): ProjectSummary {
  return {
    id,
    name: basename(folder),
    state: facts.kind,
    preset: '',
    tokenization: null,
    cycle: -1,
    max_cycles: 0,
    perplexities: [],
    best_perplexity: null,
    changed: new Date(0).toISOString(),
    activity: null,
    fault: facts.kind === 'damaged' ? facts.fault : null,
    exact: true,
  };
}

/** The size whose shape the model has; none when it is the person's own. */
export function presetOf(config: ProjectConfig): string {
  const shape = ['n_layer', 'n_head', 'n_embd', 'block_size'] as const;
  return presetNames.find((name) => shape.every((key) => presets[name].values[key] === config[key])) ?? 'none';
}

/** Known once the text is prepared, or when it was said. */
function tokenizationOf({ config, paths }: Project): ProjectSummary['tokenization'] {
  if (existsSync(join(paths.data, 'train.bin'))) return existsSync(join(paths.data, 'meta.pkl')) ? 'char' : 'bpe';
  return config.tokenization === 'auto' ? null : config.tokenization;
}

function best(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}
