/** Projects and what is in them. */
import type { projectChannels } from '../../../shared/contract/projects.js';
import { readReports } from '../../services/project-facts.js';
import type { Services } from '../../services/index.js';
import { openProject } from '../../storage/project-folder.js';
import type { Handlers, Named } from '../handler.js';

export function projectHandlers({
  projects,
  registry,
  files,
}: Services): Pick<
  Handlers<Named<typeof projectChannels>>,
  'projects.list' | 'projects.get' | 'projects.open' | 'projects.reports'
> {
  return {
    'projects.list': () => ({ projects: [...projects.list()] }),
    'projects.get': ({ id }) => projects.get(id),
    'projects.open'({ folder }) {
      const path = files.pathOf(folder);
      openProject(path);
      return { id: registry.idOf(path) };
    },
    'projects.reports': ({ id }) => ({ reports: [...readReports(projects.folderOf(id))] }),
  };
}
