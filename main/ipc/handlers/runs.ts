/** Steering the trainer, and the queue. */
import type { runChannels } from '../../../shared/contract/runs.js';
import { requestLearning } from '../../jobs/writing/request.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function runHandlers({
  projects,
  registry,
  supervisor,
  queue,
  votes,
  publishProject,
}: Services): Handlers<Named<typeof runChannels>> {
  const { folderOf } = projects;
  const done = async (request: Promise<void>) => {
    await request;
    return {};
  };
  return {
    'runs.start': ({ id, device }) => done(supervisor.start(folderOf(id), device)),
    'runs.pause': ({ id }) => done(supervisor.pause(folderOf(id))),
    'runs.resume': ({ id }) => done(supervisor.resume(folderOf(id))),
    'runs.stop': ({ id, after }) => done(supervisor.stop(folderOf(id), after)),
    'runs.skip': ({ id }) => done(supervisor.skip(folderOf(id))),
    async 'runs.extend'({ id, ...more }) {
      await supervisor.extend(folderOf(id), more);
      // The state of a project that does not run changes with its cycles, and nothing else would report it.
      publishProject(id);
      return {};
    },
    async 'runs.learn'({ id }) {
      requestLearning(folderOf(id));
      await supervisor.start(folderOf(id));
      publishProject(id);
      return {};
    },
    'runs.withoutVotes': ({ id }) => done(votes.without(id)),
    'runs.change': ({ id, settings }) => done(supervisor.change(folderOf(id), settings)),
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
    'queue.continue': ({ projects: ids }) => done(supervisor.continueWith(ids.map(folderOf))),
  };
}
