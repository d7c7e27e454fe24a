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
}: Services): Handlers<Named<typeof runChannels>> {
  const { folderOf } = projects;
  /** Nothing is answered but that it was taken. */
  const taken = async (asked: Promise<void>) => {
    await asked;
    return {};
  };
  return {
    'runs.start': ({ id }) => taken(supervisor.start(folderOf(id))),
    'runs.pause': ({ id }) => taken(supervisor.pause(folderOf(id))),
    'runs.resume': ({ id }) => taken(supervisor.resume(folderOf(id))),
    'runs.stop': ({ id, after }) => taken(supervisor.stop(folderOf(id), after)),
    'runs.skip': ({ id }) => taken(supervisor.skip(folderOf(id))),
    'runs.extend': ({ id, ...more }) => taken(supervisor.extend(folderOf(id), more)),
    'runs.withoutVotes': ({ id }) => taken(votes.without(id)),
    'runs.change': ({ id, settings }) => taken(supervisor.change(folderOf(id), settings)),
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
