/** Stores the user's own notes on a project in notes.json, which is copied and exported with it. */
import { notesSchema, type ProjectNotes } from '../../../shared/contract/projects.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { readJson, writeJson } from '../disk/json-file.js';
import { projectPaths } from './project-paths.js';

/** Reads the notes; null if they are missing or damaged. @throws UserError `file_not_readable` */
export const readNotes = (folder: string): ProjectNotes | null => readJson(projectPaths(folder).notes, notesSchema);

/** Replaces the notes. @throws UserError `file_damaged` rather than lose notes broken by hand */
export function writeNotes(folder: string, notes: ProjectNotes): void {
  const file = projectPaths(folder).notes;
  const message = localized('projects.holds_no_notes_can_read', { file });
  const hint = localized('projects.mend_file_move_away_then');
  const damaged = (cause: unknown) => new UserError({ code: 'file_damaged', message, hint }, { cause });
  readJson(file, notesSchema, { damaged });
  writeJson(file, { tags: [...notes.tags], text: notes.text });
}
