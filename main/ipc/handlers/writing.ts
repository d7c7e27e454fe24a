/** Handlers of the writing page: its document and choices are files of the project, continuations come from the trainer. */
import type { writingChannels } from '../../../shared/contract/writing.js';
import { addPick, readDocument, readPicks, saveDocument } from '../../storage/projects/writing.js';
import type { Services } from '../../services/index.js';
import type { Handlers, Named } from '../handler.js';

export function writingHandlers({ projects, supervisor, now }: Services): Handlers<Named<typeof writingChannels>> {
  const { folderOf } = projects;
  const at = () => new Date(now()).toISOString();
  const picks = (project: string) => ({ picks: readPicks(folderOf(project)).length });
  return {
    'writing.open': ({ project }) => ({ ...readDocument(folderOf(project)), ...picks(project) }),
    'writing.save'({ project, ...document }) {
      saveDocument(folderOf(project), document);
      return {};
    },
    'writing.continue': ({ project, ...request }, { signal, progress }) =>
      supervisor.call('continueText', { folder: folderOf(project), ...request }, { signal, onProgress: progress }),
    'writing.pick'({ project, pick }) {
      addPick(folderOf(project), { ...pick, at: at() });
      return picks(project);
    },
    'writing.undoPick'({ project, id }) {
      addPick(folderOf(project), { undo: id, at: at() });
      return picks(project);
    },
  };
}
