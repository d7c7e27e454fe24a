/** The system's dialogs, in front of a window. Paths go to the handlers, which turn them into handles. */
import { dialog, shell, type BrowserWindow, type FileFilter, type OpenDialogOptions } from 'electron';
import { fileEndings, type FilePurpose } from '../../shared/config/file-kinds.js';
import type { MessageParameters } from '../../shared/messages/message.js';
import type { Dialogs } from '../ipc/caller.js';
import { t } from './language.js';

/** @param suggested the name of a file to save: the dialog is for files with its ending, and adds that to another name */
function filtersOf(purpose: FilePurpose, suggested?: string): FileFilter[] {
  const endings = fileEndings[purpose];
  if (endings === null) return [];
  const ending = endings.find((one) => suggested?.toLowerCase().endsWith(`.${one}`)) ?? endings[0];
  const kind = purpose as Exclude<FilePurpose, 'folder' | 'modelFolder' | 'project'>;
  return [
    { name: t(`desktop.dialog.files.${kind}`), extensions: suggested === undefined ? [...endings] : [ending] },
    { name: t('desktop.dialog.all_files'), extensions: ['*'] },
  ];
}

export const dialogsOf = (window: BrowserWindow): Dialogs => ({
  async choose({ purpose, multiple }) {
    const kind: OpenDialogOptions['properties'] = fileEndings[purpose] === null ? ['openDirectory'] : ['openFile'];
    const { canceled, filePaths } = await dialog.showOpenDialog(window, {
      title: t(`desktop.dialog.choose.${purpose}`),
      properties: multiple ? [...kind, 'multiSelections'] : kind,
      filters: filtersOf(purpose),
    });
    return canceled ? [] : filePaths;
  },
  async chooseSave({ purpose, suggested }) {
    const { canceled, filePath } = await dialog.showSaveDialog(window, {
      title: t('desktop.dialog.save'),
      defaultPath: suggested,
      filters: filtersOf(purpose, suggested),
    });
    return canceled || filePath === '' ? null : (filePath ?? null);
  },
  reveal: (path) => shell.showItemInFolder(path),
});

/** Asks a question of the catalogue. Closing the dialog is a no; a warning's default button is no as well. */
export async function confirm(
  window: BrowserWindow,
  question: 'crashed' | 'import' | 'quit' | 'unresponsive' | 'update',
  params?: MessageParameters,
  type: 'question' | 'warning' | 'error' = 'question',
): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type,
    title: t(`desktop.${question}.title`),
    message: t(`desktop.${question}.message`, params),
    detail: t(`desktop.${question}.detail`),
    buttons: [t(`desktop.${question}.yes`), t(`desktop.${question}.no`)],
    defaultId: type === 'warning' ? 1 : 0,
    cancelId: 1,
  });
  return response === 0;
}
