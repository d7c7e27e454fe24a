/** The system's dialogs, in front of a window. Paths go to the handlers, which turn them into handles. */
import { dialog, shell, type BrowserWindow, type FileFilter, type OpenDialogOptions } from 'electron';
import { fileKinds, type FilePurpose } from '../../shared/config/file-kinds.js';
import type { Dialogs } from '../ipc/caller.js';
import { appWords } from './language.js';

/** @param suggested the name of what is saved: the dialog is for files that end as it does, and adds that ending to another name */
function filtersOf(purpose: FilePurpose, suggested?: string): FileFilter[] {
  const { files } = fileKinds[purpose];
  if (files === null) return [];
  const { all, choose } = appWords().fileWords;
  const { endings } = files;
  const named = endings.find((ending) => suggested?.toLowerCase().endsWith(`.${ending}`)) ?? endings[0];
  return [
    { name: choose[purpose].label, extensions: suggested === undefined ? [...endings] : [named] },
    { name: all, extensions: ['*'] },
  ];
}

export const dialogsOf = (window: BrowserWindow): Dialogs => ({
  async choose({ purpose, multiple }) {
    const { files } = fileKinds[purpose];
    const what: OpenDialogOptions['properties'] = files === null ? ['openDirectory'] : ['openFile'];
    const { canceled, filePaths } = await dialog.showOpenDialog(window, {
      title: appWords().fileWords.choose[purpose].title,
      properties: multiple ? [...what, 'multiSelections'] : what,
      filters: filtersOf(purpose),
    });
    return canceled ? [] : filePaths;
  },
  async chooseSave({ purpose, suggested }) {
    const { canceled, filePath } = await dialog.showSaveDialog(window, {
      title: appWords().fileWords.save,
      defaultPath: suggested,
      filters: filtersOf(purpose, suggested),
    });
    return canceled || filePath === '' ? null : (filePath ?? null);
  },
  reveal: (path) => shell.showItemInFolder(path),
});

export async function agreedTo(
  window: BrowserWindow,
  words: { readonly title: string; readonly message: string; readonly detail: string },
  yes: string,
  no: string,
): Promise<boolean> {
  const buttons = [yes, no];
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    ...words,
    buttons,
    defaultId: 0,
    cancelId: 1,
  });
  return response === 0;
}
