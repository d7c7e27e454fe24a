/** Writing with a project's models, and what its reward model says. */
import type { playgroundChannels } from '../../../shared/contract/playground.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function playgroundHandlers({ projects, supervisor }: Services): Handlers<Named<typeof playgroundChannels>> {
  return {
    'playground.write': ({ project, ...request }, { signal, progress }) =>
      supervisor.call('write', { folder: projects.folderOf(project), ...request }, { signal, onProgress: progress }),
    'playground.score': ({ project, ...request }, { signal }) =>
      supervisor.call('score', { folder: projects.folderOf(project), ...request }, { signal }),
  };
}
