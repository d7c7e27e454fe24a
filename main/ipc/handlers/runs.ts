/** Steering the trainer, and the queue. */
import type { runChannels } from '../../../shared/contract/runs.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function runHandlers({
  projects,
  registry,
  supervisor,
  queue,
  votes,
  tellProject,
}: Services): Handlers<Named<typeof runChannels>> {
  const { folderOf } = projects;
  /** Nothing is answered but that it was taken. */
  const taken = async (asked: Promise<void>) => {
    await asked;
    return {};
  };
  /** The same; what this program has not started tells nobody by itself. */
  const steered = async (id: string, asked: Promise<void>) => {
    await asked;
    if (projects.summary(id).started_elsewhere) tellProject(id);
    return {};
  };
  return {
    'runs.start': ({ id }) => taken(supervisor.start(folderOf(id))),
    'runs.pause': ({ id }) => steered(id, supervisor.pause(folderOf(id))),
    'runs.resume': ({ id }) => steered(id, supervisor.resume(folderOf(id))),
    'runs.stop': ({ id, after }) => steered(id, supervisor.stop(folderOf(id), after)),
    'runs.skip': ({ id }) => steered(id, supervisor.skip(folderOf(id))),
    async 'runs.extend'({ id, ...more }) {
      await supervisor.extend(folderOf(id), more);
      // Cycles of a project that does not run are written down, and its state is another: nobody else tells.
      tellProject(id);
      return {};
    },
    'runs.withoutVotes': ({ id }) => taken(votes.without(id)),
    'runs.change': ({ id, settings }) => steered(id, supervisor.change(folderOf(id), settings)),
    'queue.get': () => queue(),
    'queue.move'({ project, to }) {
      supervisor.move(folderOf(project), to);
      return {};
    },
    'queue.remove'({ project }) {
      // Its folder may be gone by now.
      supervisor.remove(registry.folderOf(project));
      return {};
    },
    'queue.continue': ({ projects: ids }) => taken(supervisor.continueWith(ids.map(folderOf))),
  };
}
