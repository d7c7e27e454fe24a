/** Handlers of the writing page: its document and choices are files of the project, continuations come from the trainer. */
import type { writingChannels } from '../../../shared/contract/writing.js';
import { learnedFrom } from '../../jobs/writing/learned.js';
import { addPick, readDocument, saveDocument } from '../../storage/projects/writing.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function writingHandlers({ projects, supervisor, now }: Services): Handlers<Named<typeof writingChannels>> {
  const { folderOf } = projects;
  const at = () => new Date(now()).toISOString();
  const learned = (project: string) => learnedFrom(folderOf(project)).learned;
  return {
    'writing.open': ({ project }) => ({ ...readDocument(folderOf(project)), ...learned(project) }),
    'writing.save'({ project, ...document }) {
      saveDocument(folderOf(project), document);
      return {};
    },
    'writing.learned': ({ project }) => learned(project),
    async 'writing.continue'({ project, ...request }, { signal, progress }) {
      const folder = folderOf(project);
      const how = { signal, onProgress: progress };
      const { voices, ...written } = await supervisor.call('continueText', { folder, ...request }, how);
      return { ...written, favourite: learnedFrom(folder).favourite(request.before, written.texts, voices) };
    },
    'writing.inspect': ({ project, ...request }, { signal }) =>
      supervisor.call('inspect', { folder: folderOf(project), ...request }, { signal }),
    'writing.pick'({ project, pick }) {
      addPick(folderOf(project), { ...pick, at: at() });
      return learned(project);
    },
    'writing.undoPick'({ project, id }) {
      addPick(folderOf(project), { undo: id, at: at() });
      return learned(project);
    },
  };
}
