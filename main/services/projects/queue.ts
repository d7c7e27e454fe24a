/** The queue as the window sees it: the supervisor's, with ids and names. */
import type { Queue } from '../../../shared/contract/runs.js';
import type { QueueStatus } from '../../supervisor/types.js';
import type { Projects } from './projects.js';
import type { Registry } from './registry.js';

export function queueOf({ entries, interrupted }: QueueStatus, registry: Registry, projects: Projects): Queue {
  const named = (folder: string) => {
    const project = registry.idOf(folder);
    return { project, name: projects.summary(project).name };
  };
  return {
    entries: entries.map(({ folder, state }) => ({ ...named(folder), state })),
    interrupted: interrupted.map(named),
  };
}
