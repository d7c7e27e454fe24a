/** Continues a project with `stop_when: people` once its votes decide for another cycle. */
import { statSync } from 'node:fs';
import { UserError } from '../../../shared/errors.js';
import { lockHolder } from '../../storage/disk/lock.js';
import { projectFacts } from '../../storage/projects/project-facts.js';
import { openProject, openProjectForWriting } from '../../storage/projects/project-folder.js';
import type { Supervisor } from '../../supervisor/types.js';
import type { Projects } from './projects.js';

interface VotesOptions {
  readonly projects: Projects;
  readonly supervisor: Pick<Supervisor, 'start' | 'queue'>;
  publishProject(id: string): void;
}

export type Votes = ReturnType<typeof createVotes>;

export function createVotes({ projects, supervisor, publishProject }: VotesOptions) {
  const stateOf = (id: string) => projects.summary(id).state;
  return {
    /** Applies a change of votes and continues the project if they decide. */
    async with<T>(id: string, change: () => T) {
      const folder = projects.folderOf(id);
      if (openProject(folder).config.stop_when !== 'people') return change();
      const before = stateOf(id);
      const result = change();
      const after = stateOf(id);
      // Decided for another cycle: it is then as one that was stopped between two.
      if (before === 'awaiting_votes' && after === 'stopped') await supervisor.start(folder);
      if (before === 'awaiting_votes' || before !== after) publishProject(id);
      return result;
    },
    /** Begins cycles that votes have decided for but that no process has started; interrupted ones are left to the user. */
    async goOn(folders: readonly string[]) {
      const { interrupted } = supervisor.queue();
      for (const folder of folders)
        if (!interrupted.includes(folder) && isDecided(folder)) await supervisor.start(folder);
    },
    /**
     * Trains the remaining cycles without waiting for votes.
     * @throws UserError `locked`
     */
    async without(id: string) {
      const folder = projects.folderOf(id);
      const project = openProjectForWriting(folder, 'verisim');
      try {
        project.saveConfig({ ...project.config, stop_when: 'cycles' });
      } finally {
        project.lock.release();
      }
      if (stateOf(id) === 'stopped') await supervisor.start(folder);
      publishProject(id);
    },
  };
}

/** Votes decided for another cycle that has no folder yet. */
function isDecided(folder: string): boolean {
  try {
    if (openProject(folder).config.stop_when !== 'people' || lockHolder(folder) !== null) return false;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
  const facts = projectFacts(folder);
  if (facts.kind !== 'whole' || facts.ended || facts.awaits || facts.reports.length < 2) return false;
  const next = facts.project.paths.cycle(facts.reports.length).folder;
  return statSync(next, { throwIfNoEntry: false }) === undefined;
}
