/** Steering the trainer, and the queue. */
import type { runChannels } from '../../../shared/contract/runs.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function runHandlers({ projects, registry, supervisor, queue }: Services): Handlers<Named<typeof runChannels>> {
  const { folderOf } = projects;
  return {
    async 'runs.start'({ id }) {
      await supervisor.start(folderOf(id));
      return {};
    },
    async 'runs.pause'({ id }) {
      await supervisor.pause(folderOf(id));
      return {};
    },
    async 'runs.resume'({ id }) {
      await supervisor.resume(folderOf(id));
      return {};
    },
    async 'runs.stop'({ id, after }) {
      await supervisor.stop(folderOf(id), after);
      return {};
    },
    async 'runs.skip'({ id }) {
      await supervisor.skip(folderOf(id));
      return {};
    },
    async 'runs.extend'({ id, ...more }) {
      await supervisor.extend(folderOf(id), more);
      return {};
    },
    async 'runs.change'({ id, settings }) {
      await supervisor.change(folderOf(id), settings);
      return {};
    },
    'queue.get': () => queue(),
    'queue.move'({ project, to }) {
      supervisor.move(folderOf(project), to);
      return queue();
    },
    'queue.remove'({ project }) {
      // Its folder may be gone by now.
      supervisor.remove(registry.folderOf(project));
      return queue();
    },
    async 'queue.continue'({ projects: ids }) {
      await supervisor.continueWith(ids.map(folderOf));
      return queue();
    },
  };
}
