/** What a person keeps of a project in their own words: notes.json, beside what was computed, and travelling with it. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { notesSchema, type ProjectNotes } from '../../../shared/contract/projects.js';
import { readJson, writeJson } from '../disk/json-file.js';
import { projectPaths } from './project-paths.js';

/** Null where there are none, or none that can be understood. @throws UserError `file_not_readable` */
export const readNotes = (folder: string): ProjectNotes | null => readJson(projectPaths(folder).notes, notesSchema);

/** Replaces the notes; nothing else reads them. @throws UserError `file_damaged` rather than lose notes broken by hand */
export function writeNotes(folder: string, notes: ProjectNotes): void {
  const file = projectPaths(folder).notes;
  const damaged = (cause: unknown) =>
    new UserError(
      {
        code: 'file_damaged',
        message: localized('projects.holds_no_notes_can_read', { file }),
        hint: localized('projects.mend_file_move_away_then'),
      },
      { cause },
    );
  readJson(file, notesSchema, { damaged });
  writeJson(file, { tags: [...notes.tags], text: notes.text });
}
