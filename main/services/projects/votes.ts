/**
 * A project that waits for people's votes (`stop_when: people`): whatever brings votes, here, in a file or over the network,
 * does it through this, and once they have decided for another cycle it begins. That the project ends, or still waits, is told.
 */
import { openProject, openProjectForWriting } from '../../storage/projects/project-folder.js';
import type { Supervisor } from '../../supervisor/types.js';
import type { Projects } from './projects.js';

interface VotesOptions {
  readonly projects: Projects;
  readonly supervisor: Pick<Supervisor, 'start'>;
  tellProject(id: string): void;
}

export interface Votes {
  /**
   * Adds votes, or takes some back, and does what follows from them.
   * @param change throws where they cannot be kept; then nothing follows
   */
  with<T>(id: string, change: () => T): Promise<T>;
  /** Trains the cycles that are left without waiting for anybody. @throws UserError `locked` */
  without(id: string): Promise<void>;
}

export function createVotes({ projects, supervisor, tellProject }: VotesOptions): Votes {
  const stateOf = (id: string) => projects.summary(id).state;
  return {
    async with(id, change) {
      // Most projects wait for nobody, and a vote is to be answered at once.
      if (openProject(projects.folderOf(id)).config.stop_when !== 'people') return change();
      const before = stateOf(id);
      const result = change();
      const after = stateOf(id);
      // Decided for another cycle: it is then as one that was stopped between two.
      if (before === 'awaiting_votes' && after === 'stopped') await supervisor.start(projects.folderOf(id));
      if (before === 'awaiting_votes' || before !== after) tellProject(id);
      return result;
    },
    async without(id) {
      const folder = projects.folderOf(id);
      const project = openProjectForWriting(folder, 'verisim');
      try {
        project.saveConfig({ ...project.config, stop_when: 'cycles' });
      } finally {
        project.lock.release();
      }
      if (stateOf(id) === 'stopped') await supervisor.start(folder);
      tellProject(id);
    },
  };
}
