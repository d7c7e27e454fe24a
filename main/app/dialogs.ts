/** The system's dialogs, in front of a window. Paths go to the handlers, which turn them into handles. */
import { dialog, shell, type BrowserWindow, type FileFilter, type OpenDialogOptions } from 'electron';
import { fileKinds, type FilePurpose } from '../../shared/config/file-kinds.js';
import type { Dialogs } from '../ipc/caller.js';
import { saveTitle } from './words.js';

const everything: FileFilter = { name: 'All files', extensions: ['*'] };

function filtersOf(purpose: FilePurpose, isSaving = false): FileFilter[] {
  const { files } = fileKinds[purpose];
  if (files === null) return [];
  return [{ name: files.label, extensions: files.endings.slice(0, isSaving ? 1 : undefined) }, everything];
}

export const dialogsOf = (window: BrowserWindow): Dialogs => ({
  async choose({ purpose, multiple }) {
    const { title, files } = fileKinds[purpose];
    const what: OpenDialogOptions['properties'] = files === null ? ['openDirectory'] : ['openFile'];
    const { canceled, filePaths } = await dialog.showOpenDialog(window, {
      title,
      properties: multiple ? [...what, 'multiSelections'] : what,
      filters: filtersOf(purpose),
    });
    return canceled ? [] : filePaths;
  },
  async chooseSave({ purpose, suggested }) {
    const { canceled, filePath } = await dialog.showSaveDialog(window, {
      title: saveTitle,
      defaultPath: suggested,
      filters: filtersOf(purpose, true),
    });
    return canceled || filePath === '' ? null : (filePath ?? null);
  },
  reveal: (path) => shell.showItemInFolder(path),
});
